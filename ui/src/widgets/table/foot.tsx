/** Totals, and what a table does not show: columns without values, rows of the baseline, a failed comparison. */
import { Show } from 'solid-js';

import { plural } from '../../format/numbers';
import { useAgainstError } from '../against';
import type { TableModel } from './model';
import type { TableProps } from './props';
import type { Column } from './rows';

export function TableFoot<Row>(props: { table: TableProps<Row>; model: TableModel<Row> }) {
  const againstError = useAgainstError();
  const gone = () => (props.table.isOrdered ? props.model.pairs()?.gone : undefined);
  const missing = () => props.model.missing();
  const titles = () => {
    const available = new Set(props.model.available().map(({ title }) => title));
    const names = missing().map(({ title }) => title);
    return [...new Set(names)].filter((title) => !available.has(title));
  };
  const lacks = () =>
    !props.table.isPlain && props.model.given().length > 0 && titles().length > 0;
  return (
    <>
      <Show when={props.table.compare && againstError()}>
        {(error) => (
          <p class="table-foot muted">
            No comparison: the baseline failed with “{error().message}”
          </p>
        )}
      </Show>
      <Show when={gone()?.length ? gone() : undefined}>
        {(rows) => (
          <p class="table-foot muted">
            Only in the baseline: {plural(rows().length, props.table.noun)}
            {nameSome(rows(), props.table.columns[0])}
          </p>
        )}
      </Show>
      <Show when={props.table.summary || lacks()}>
        <p class="table-foot muted">
          <Show when={props.table.summary}>
            <span class="table-summary">{props.table.summary}</span>
          </Show>
          <Show when={lacks()}>
            <span>
              {props.table.absent ?? 'Not in this profile'}: {titles().join(', ')}
            </span>
          </Show>
        </p>
      </Show>
    </>
  );
}

/** Lists the first few rows by name. */
function nameSome<Row>(rows: readonly Row[], column: Column<Row> | undefined): string {
  if (!column) return '';
  const names = rows.slice(0, 4).map((row) => String(column.value(row) ?? ''));
  return `: ${names.join(', ')}${rows.length > names.length ? ' …' : ''}`;
}
