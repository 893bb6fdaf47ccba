/** The query of a table: what SQL needs to know of the table as it is shown. */
import { plural } from '../../format/numbers';
import { parsePattern } from '../../format/pattern';
import { shared } from '../../shell/shared';
import type { SearchedColumn } from '../../sql/table-query';
import type { Asked } from '../asked';
import { showToast } from '../toast';
import type { TableName } from './declared';
import type { TableModel } from './model';
import type { TableProps } from './props';
import { isAscending, plainKey, type Column } from './rows';

/** Opens the query of the table; null if SQL has no such table: the page computed it. */
export function showSqlOf<Row>(
  asked: Asked,
  props: TableProps<Row>,
  model: TableModel<Row>,
): (() => void) | null {
  const question = asked.question?.();
  const table = tableOf(props.columns);
  if (shared() || !question || !table?.startsWith(`${question.analysis}.`)) return null;
  return () => void open(asked, table, props, model);
}

/** `ops.rows`, of which the columns are. */
function tableOf<Row>(columns: readonly Column<Row>[]): TableName | undefined {
  const found = columns.find(({ figure, key }) => figure?.endsWith(`.${key}`));
  return found?.figure?.slice(0, -found.key.length - 1) as TableName | undefined;
}

async function open<Row>(
  asked: Asked,
  table: TableName,
  props: TableProps<Row>,
  model: TableModel<Row>,
): Promise<void> {
  const [{ queryOf }, { openQuery }] = await Promise.all([
    import('../../sql/table-query'),
    import('../../sql/open'),
  ]);
  const isOf = ({ figure, key }: { figure?: string; key: string }) => figure === `${table}.${key}`;
  const keys = (columns: readonly Column<Row>[]) => columns.filter(isOf).map(({ key }) => key);
  const filter = model.filter();
  const sort = props.isOrdered ? null : props.state.sort();
  const sorted = props.columns.find(({ key }) => key === plainKey(sort?.key ?? ''));
  const given = model.given().length;
  const total = props.rowCount ?? given;
  const reported = rowsOf(asked.report(), table) ?? given;
  const query = queryOf({
    table,
    options: asked.question?.().options ?? {},
    columns: keys(model.columns()),
    texts: props.columns
      .filter((column) => column.kind === undefined && isOf(column))
      .map((column) => searched(column, model.given(), filter.text)),
    text: filter.text,
    conditions: filter.conditions.map(({ column, operator, limit }) => ({
      key: column.key,
      operator,
      limit,
    })),
    sort: sort && sorted ? { key: sorted.key, isAscending: isAscending(sort, sorted) } : null,
    limit: total > reported ? reported : null,
    remarks: [
      ...(given < reported ? [`The view shows ${given} of ${plural(reported, 'row')}`] : []),
      ...(model.all().length > given ? ['Without the rows that only the baseline has'] : []),
    ],
  });
  if (query === null) showToast({ text: 'SQL has no such table', key: 'show-sql' });
  else openQuery(query);
}

/** How the text of a filter is searched for in a column. */
function searched<Row>(column: Column<Row>, rows: readonly Row[], text: string): SearchedColumn {
  const { key } = column;
  const recorded = (row: Row) => (row as Record<string, unknown>)[key];
  const isOther = (row: Row) => {
    const own = recorded(row);
    return typeof own === 'string' && own !== column.value(row);
  };
  if (!text || !rows.some(isOther)) return { key, matching: null };
  const pattern = parsePattern(text);
  const found = rows.filter((row) => pattern.test(String(column.value(row) ?? '')));
  return { key, matching: [...new Set(found.map((row) => String(recorded(row) ?? '')))] };
}

/** How many rows the report has in the table. */
function rowsOf(report: unknown, table: TableName): number | null {
  const rows = (report as Record<string, unknown> | undefined)?.[table.split('.')[1] ?? ''];
  return Array.isArray(rows) ? rows.length : null;
}
