/** How wide a column of texts has to be. Pure. */
import type { Column } from './rows';

/** Pixels of a character, and around a text. */
const CHARACTER = 7.6;
const AROUND = 26;
/** Rows that are measured; texts of others may be cut, and are then in the tooltip. */
const MEASURED_ROWS = 5000;

/**
 * The width of a column of plain texts, which is not wider than its longest one. What draws its own
 * cells is as wide as declared.
 */
export function fittedWidth<Row>(column: Column<Row>, rows: readonly Row[]): number {
  if (column.kind !== undefined || column.cell || column.head) return column.width;
  let longest = 0;
  for (const row of rows.slice(0, MEASURED_ROWS)) {
    longest = Math.max(longest, String(column.value(row) ?? '').length);
  }
  return Math.min(column.width, Math.ceil(longest * CHARACTER) + AROUND);
}
