/** What leaves a table: CSV with raw values, Markdown as it is read. Pure. */
import type { Pairs } from '../../compare/pairing';
import { exportColumns } from './changes';
import type { Line } from './groups';
import { sumOf } from './groups';
import type { Shown } from './props';
import { toCsv, toMarkdown, valueText, type Column } from './rows';

/** Every row shown, with the keys of the wire; columns only for export are included. */
export function csvOf<Row>(
  rows: readonly Row[],
  columns: readonly Shown<Row>[],
  all: readonly Column<Row>[],
  pairs: Pairs<Row> | null,
): string {
  const kept = [...columns, ...all.filter((column) => column.isExportOnly)];
  return toCsv(rows, pairs ? exportColumns(pairs, kept) : kept);
}

/** Lines as shown: the columns in their order, figures with their units, groups with their sums. */
export function markdownOf<Row>(
  lines: readonly Line<Row>[],
  columns: readonly Shown<Row>[],
): string {
  const drawn = columns.filter((column) => !isDrawing(column, lines));
  const titles = drawn.map(({ title, kind, scaling }) => ({
    title: [title, scaling.shared.unit].filter(Boolean).join(', '),
    isNumber: kind !== undefined,
  }));
  const rows = lines.map((line) =>
    drawn.map((column, index) => {
      if ('row' in line) return cellText(column, line.row);
      if (index === 0) return `${line.group.name || '–'} (${line.group.rows.length})`;
      const first = line.group.rows[0];
      const sum = sumOf(column, line.group.rows);
      return sum === null || first === undefined ? '' : column.scaling.of(first).text(sum);
    }),
  );
  return toMarkdown(titles, rows);
}

/** A cell as text: the figure with its unit if the header has none. */
export function cellText<Row>(column: Shown<Row>, row: Row): string {
  const value = column.value(row);
  if (value === null || value === '') return '';
  return column.kind ? column.scaling.of(row).text(Number(value)) : valueText(value);
}

/** Bars and other drawings have no text. */
function isDrawing<Row>(column: Shown<Row>, lines: readonly Line<Row>[]): boolean {
  if (column.cell === undefined) return false;
  return lines.every((line) => !('row' in line) || column.value(line.row) === null);
}
