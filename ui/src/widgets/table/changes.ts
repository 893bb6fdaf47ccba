/** Changes of a table's figures from the baseline, as values and as columns to sort and save. Pure. */
import { addingOf, betterOf, byEvidence, changeOf, isComparable, type Change } from '../../compare/change';
import type { Kind } from '../../format/numbers';
import type { Pairs } from '../../compare/pairing';
import { changeKey, type Column, type Value } from './rows';

/** Kinds of figures that depend on the time of an op, and are within noise if the time is. */
const FROM_TIME: ReadonlySet<Kind> = new Set(['duration', 'bandwidth', 'flop_rate']);

/** The change of one figure; null where there is nothing to compare. */
export function changeIn<Row>(pairs: Pairs<Row>, row: Row, column: Column<Row>): Change | null {
  if (!isComparable(column) || !column.kind) return null;
  const scaledBy = scaleBy(pairs, column);
  const scaled = (value: Value) => (typeof value === 'number' ? value * scaledBy : null);
  const evidence = FROM_TIME.has(column.kind) ? pairs.evidenceOf(row) : undefined;
  const rule = byEvidence(evidence);
  const options = {
    kind: column.kind,
    better: rule.better === 'less' ? betterOf(column) : rule.better,
    isNoise: rule.isNoise,
  };
  if (pairs.isGone(row)) {
    return addingOf(column) !== 'no' ? changeOf(0, scaled(column.value(row)), options) : null;
  }
  const now = column.value(row);
  if (typeof now !== 'number') return null;
  const before = pairs.before.get(row);
  if (before !== undefined) return changeOf(now, scaled(column.value(before)), options);
  return pairs.fresh.has(row) && addingOf(column) !== 'no' ? changeOf(now, 0, options) : null;
}

/** The factor for the baseline's figures: sums over steps are scaled to the same number of steps. */
export function scaleBy<Row>(pairs: Pairs<Row>, column: Column<Row>): number {
  return addingOf(column) === 'over_steps' ? pairs.stepRatio : 1;
}

/** The session's own columns: rows that only the baseline has are without figures. */
export function ownColumns<Row>(pairs: Pairs<Row>, columns: readonly Column<Row>[]): Column<Row>[] {
  return columns.map((column) =>
    column.kind === undefined
      ? column
      : { ...column, value: (row) => (pairs.isGone(row) ? null : column.value(row)) },
  );
}

/** Columns of the changes, to sort by. */
export function changeColumns<Row>(
  pairs: Pairs<Row>,
  columns: readonly Column<Row>[],
): Column<Row>[] {
  return columns
    .filter((column) => isComparable(column))
    .map((column) => ({
      ...column,
      key: changeKey(column.key),
      value: (row) => changeIn(pairs, row, column)?.difference ?? null,
    }));
}

/** Columns for a file: every figure is followed by the baseline's, unscaled. */
export function exportColumns<Row>(
  pairs: Pairs<Row>,
  columns: readonly Column<Row>[],
): Column<Row>[] {
  const own = ownColumns(pairs, columns);
  return own.flatMap((column, index) => {
    const source = columns[index];
    if (!source || !isComparable(source)) return [column];
    const value = (row: Row) => {
      const before = pairs.isGone(row) ? row : pairs.before.get(row);
      return before === undefined ? null : source.value(before);
    };
    return [column, { ...column, key: `${column.key}.baseline`, value }];
  });
}
