/** The largest figure of the rows, at least 1, for the length of bars; rows may be many. Pure. */
export function largest<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((most, row) => Math.max(most, of(row)), 1);
}

/** The rows with the largest figures, at most `most`, in the order in which they are given. */
export function largestRows<Row>(
  rows: readonly Row[],
  most: number,
  of: (row: Row) => number,
): readonly Row[] {
  if (rows.length <= most) return rows;
  const order = rows
    .map((row, index) => ({ index, figure: of(row) }))
    .sort((one, other) => other.figure - one.figure);
  const kept = new Set(order.slice(0, most).map(({ index }) => index));
  return rows.filter((_, index) => kept.has(index));
}
