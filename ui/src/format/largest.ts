/** The largest figure of the rows, at least 1, for the length of bars; rows may be many. Pure. */
export function largest<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((most, row) => Math.max(most, of(row)), 1);
}
