/** The schema next to the editor: views, tables and functions, to search and to write into the query. */
import { createMemo, createSignal, createUniqueId, For, Show } from 'solid-js';

import { nameText } from '../../sql/words';
import { Icon } from '../../shell/icons';
import { SearchField } from '../../widgets/search-field';
import type { SqlSchemaReport } from '../../wire/generated/SqlSchemaReport';
import { schemaGroups, type SchemaEntry } from './schema-rows';

export function SchemaTree(props: { schema: SqlSchemaReport; onInsert: (text: string) => void }) {
  const [search, setSearch] = createSignal('');
  const groups = createMemo(() => schemaGroups(props.schema, search()));
  return (
    <section class="sql-schema card" aria-label="Tables">
      <div class="sql-schema-head">
        <SearchField
          label="Search tables and columns"
          placeholder="Search tables and columns"
          value={search()}
          onInput={setSearch}
          error=""
        />
      </div>
      <div class="sql-schema-body" tabindex="0" role="region" aria-label="Tables, views and functions">
        <For
          each={groups()}
          fallback={<p class="sql-note muted">Nothing matches “{search()}”</p>}
        >
          {(group) => (
            <>
              <h2 class="sql-schema-group">{group.title}</h2>
              <ul class="plain-list">
                <For each={group.entries}>
                  {(entry) => <Entry entry={entry} onInsert={props.onInsert} />}
                </For>
              </ul>
            </>
          )}
        </For>
      </div>
    </section>
  );
}

function Entry(props: { entry: SchemaEntry; onInsert: (text: string) => void }) {
  const id = createUniqueId();
  const [isChosen, setChosen] = createSignal(false);
  const isOpen = () => isChosen() !== props.entry.isOpen;
  const tip = () => [props.entry.meaning, props.entry.query].filter(Boolean).join('\n\n');
  return (
    <li>
      <div class="sql-schema-entry">
        <Show when={props.entry.kind !== 'function'}>
          <button
            class="quiet icon sql-schema-fold"
            classList={{ 'is-open': isOpen() }}
            aria-label={`Columns of ${props.entry.name}`}
            aria-expanded={isOpen()}
            aria-controls={isOpen() ? id : undefined}
            onClick={() => setChosen(!isChosen())}
          >
            <Icon name="right" />
          </button>
        </Show>
        <button
          class="quiet mono sql-schema-name"
          data-tip={tip()}
          onClick={() => props.onInsert(props.entry.text)}
        >
          {props.entry.name}
          <span class="muted">{props.entry.detail}</span>
        </button>
      </div>
      <Show when={isOpen()}>
        <ul class="plain-list" id={id}>
          <For each={props.entry.columns}>
            {(column) => (
              <li>
                <button
                  class="quiet mono sql-schema-column"
                  data-tip={column.meaning || undefined}
                  onClick={() => props.onInsert(nameText(column.key))}
                >
                  <span>{column.key}</span>
                  <span class="muted">{column.unit}</span>
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </li>
  );
}
