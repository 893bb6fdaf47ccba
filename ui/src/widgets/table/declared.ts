/** Columns as declared by the analyses; the page adds only the layout. */
import { TABLES } from '../../wire/generated/tables';
import type { Column } from './rows';

export type TableName = keyof typeof TABLES;

/**
 * What the page defines for a column: how it is laid out and drawn. Title, unit, meaning and comparison
 * with a baseline are declared with the report; a column that no report has defines them here.
 */
export type Layout<Row> = Omit<Column<Row>, 'title'> & { title?: string };

/** Columns of a report's table, such as `ops.rows`. */
export function declared<Row>(table: TableName, columns: readonly Layout<Row>[]): Column<Row>[] {
  return columns.map((column) => declaredColumn(table, column));
}

/** One column of a report's table. */
export function declaredColumn<Row>(table: TableName, column: Layout<Row>): Column<Row> {
  const figure = TABLES[table][column.key];
  if (!figure) {
    if (column.title === undefined) throw new Error(`${table} has no column ${column.key}`);
    return { ...column, title: column.title };
  }
  // A title given here would be silently ignored.
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
