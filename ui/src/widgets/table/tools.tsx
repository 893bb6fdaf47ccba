/** Above a table: its filter, the tools of the view, the count, columns, and what leaves it. */
import { createMemo, For, onCleanup, Show } from 'solid-js';

import { formatCount, plural, pluralOf } from '../../format/numbers';
import { patternOf } from '../../format/pattern';
import { EXAMPLES } from '../../format/quantity';
import { registerShortcut } from '../../shell/shortcuts';
import { download } from '../copy';
import { SearchField } from '../search-field';
import { isUsual, USUAL, withHidden, withStep } from './arrangement';
import { csvOf } from './copies';
import { canGroup } from './groups';
import { copyTable } from './menus';
import { exampleOf } from './example';
import type { TableModel } from './model';
import { PanelButton } from './panel';
import type { TableProps } from './props';
import { changeKey, isChangeKey, plainKey, type Sort } from './rows';

export function TableTools<Row>(props: {
  table: TableProps<Row>;
  model: TableModel<Row>;
  /** Opens the query of the table, where SQL has it. */
  showSql: (() => void) | null;
}) {
  const state = () => props.table.state;
  const many = () => pluralOf(props.table.noun);
  /** A figure of the table, to show how to filter by one. */
  const example = createMemo(() => {
    const column = exampleOf(props.model.columns());
    return column?.kind ? `: ${column.title.toLowerCase()}>${EXAMPLES[column.kind]}` : '';
  });
  const save = () => {
    const { model, table } = props;
    const text = csvOf(model.rows(), model.columns(), table.columns, model.pairs());
    download(`${table.fileName}.csv`, 'text/csv', text);
  };
  const copy = () => copyTable('Markdown', props.table, props.model);
  let columnsButton!: HTMLSpanElement;
  const chooseColumns = () => columnsButton.querySelector('button')?.click();
  for (const [label, run] of [
    [`Save the ${many()} as CSV`, save],
    [`Copy the ${many()} as Markdown`, copy],
    [`Columns of the ${many()}: choose, order, group by`, chooseColumns],
    ...(props.showSql ? ([[`Show the SQL of the ${many()}`, props.showSql]] as const) : []),
  ] as const) {
    onCleanup(registerShortcut({ keys: [], group: 'Table', label, run }));
  }
  return (
    <div class="table-tools">
      <Show when={!props.table.isBare}>
        <SearchField
          label={`Filter ${many()}`}
          placeholder={`Filter${example()}`}
          value={state().query()}
          onInput={state().setQuery}
          error={props.model.filter().error}
        />
      </Show>
      <Show when={props.table.onPromoteQuery && props.model.filter().text}>
        {(text) => (
          <button
            class="quiet"
            data-tip="Apply this filter to every view, like --match on the command line"
            onClick={() => {
              const pattern = text();
              state().setQuery('');
              props.table.onPromoteQuery?.(patternOf(pattern));
            }}
          >
            Use in all views
          </button>
        )}
      </Show>
      {props.table.tools}
      <Show when={props.model.pairs() && !props.table.isOrdered ? state().sort() : null}>
        {(sort) => <OrderSwitch sort={sort()} onSort={state().setSort} />}
      </Show>
      <Show when={!props.table.isBare}>
        <span class="spacer" />
      </Show>
      <span class="table-actions">
        <span class="table-count number" role="status">
          {countText(
            props.model.rows().length,
            props.table.loadedCount ?? props.model.all().length,
            props.table.rowCount,
            props.table.noun,
          )}
        </span>
        <span ref={columnsButton}>
          <PanelButton label="Columns" tip="Choose, order and group by columns">
            <ColumnsPanel {...props} />
          </PanelButton>
        </span>
        <button
          class="quiet"
          data-tip="Copy the table as shown, for notes and issues"
          onClick={copy}
        >
          Copy
        </button>
        <button class="quiet" data-tip="Save the rows shown, with raw values" onClick={save}>
          CSV
        </button>
        <Show when={props.showSql}>
          {(show) => (
            <button
              class="quiet"
              data-tip="Show the SQL query that has these rows and columns"
              onClick={() => show()()}
            >
              SQL
            </button>
          )}
        </Show>
      </span>
    </div>
  );
}

/** Which columns are shown, in which order, and what rows are grouped by. */
function ColumnsPanel<Row>(props: { table: TableProps<Row>; model: TableModel<Row> }) {
  const { model } = props;
  const isHidden = (key: string) => model.arrangement().hidden.has(key);
  const groupable = () => (props.table.isOrdered ? [] : model.available().filter(canGroup));
  const move = (key: string, by: 1 | -1) =>
    model.arrange(withStep(model.arrangement(), model.available(), key, by));
  return (
    <>
      <Show when={groupable().length > 0}>
        <label class="table-panel-field">
          Group by
          <select
            value={model.groupedBy()?.key ?? ''}
            onChange={(event) => model.groupBy(event.currentTarget.value || null)}
          >
            <option value="">nothing</option>
            <For each={groupable()}>
              {(column) => <option value={column.key}>{column.title}</option>}
            </For>
          </select>
        </label>
      </Show>
      <ul class="table-panel-columns">
        <For each={model.available()}>
          {(column) => (
            <li>
              <label>
                <input
                  type="checkbox"
                  checked={!isHidden(column.key)}
                  disabled={!isHidden(column.key) && model.columns().length < 2}
                  onChange={(event) =>
                    model.arrange(
                      withHidden(model.arrangement(), column.key, !event.currentTarget.checked),
                    )
                  }
                />
                {column.title}
              </label>
              <button
                class="quiet"
                aria-label={`Move ${column.title} left`}
                disabled={isHidden(column.key)}
                onClick={() => move(column.key, -1)}
              >
                ↑
              </button>
              <button
                class="quiet"
                aria-label={`Move ${column.title} right`}
                disabled={isHidden(column.key)}
                onClick={() => move(column.key, 1)}
              >
                ↓
              </button>
            </li>
          )}
        </For>
      </ul>
      <button
        class="quiet"
        disabled={isUsual(model.arrangement())}
        onClick={() => model.arrange(USUAL)}
      >
        Reset columns
      </button>
    </>
  );
}

/** Switches between sorting by figures and by their changes. */
function OrderSwitch(props: { sort: Sort; onSort: (sort: Sort) => void }) {
  const isChange = () => isChangeKey(props.sort.key);
  const key = () => plainKey(props.sort.key);
  return (
    <span class="segmented" role="group" aria-label="Sort by">
      <button
        aria-pressed={!isChange()}
        data-tip="Largest figures first"
        onClick={() => props.onSort({ key: key(), isReversed: false })}
      >
        By value
      </button>
      <button
        aria-pressed={isChange()}
        data-tip="Largest increase from the baseline first; click the header to reverse"
        onClick={() => props.onSort({ key: changeKey(key()), isReversed: false })}
      >
        By change
      </button>
    </span>
  );
}

function countText(shown: number, loaded: number, total: number | undefined, noun: string): string {
  const all = Math.max(total ?? loaded, loaded);
  if (shown === all) return plural(all, noun);
  const part = `${formatCount(shown)} of ${formatCount(all)} ${pluralOf(noun)}`;
  return all > loaded ? `${part} (first ${formatCount(loaded)} loaded)` : part;
}
