/** Columns as the analyses declare them: the page adds the layout alone. */
import { TABLES } from '../../wire/generated/tables';
import type { Column } from './rows';

export type TableName = keyof typeof TABLES;

/**
 * What the page says of a column: how it is laid out and drawn. Title, unit, meaning and behavior
 * against a baseline are declared with the report; only a column that no report has says them here.
 */
export type Layout<Row> = Omit<Column<Row>, 'title'> & { title?: string };

/** Columns of a table of a report, `ops.rows`. */
export function declared<Row>(table: TableName, columns: readonly Layout<Row>[]): Column<Row>[] {
  return columns.map((column) => declaredColumn(table, column));
}

/** One column of it. */
export function declaredColumn<Row>(table: TableName, column: Layout<Row>): Column<Row> {
  const figure = TABLES[table][column.key];
  if (!figure) {
    if (column.title === undefined) throw new Error(`${table} has no column ${column.key}`);
    return { ...column, title: column.title };
  }
  // A title of the page's own would be dropped in silence.
  if (column.title !== undefined) throw new Error(`${table} declares the title of ${column.key}`);
  return {
    ...column,
    title: figure.title,
    figure: `${table}.${column.key}`,
    adds: figure.adds,
    better: figure.better,
    ...(figure.kind ? { kind: figure.kind } : {}),
  };
}
