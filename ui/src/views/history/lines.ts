/** Splits the series of a history at its change points. Pure. */
import type { HistoryChange } from '../../wire/generated/HistoryChange';
import type { HistorySeries } from '../../wire/generated/HistorySeries';

/** Runs between two change points, both ends included, and their median. */
export interface Stretch {
  from: number;
  to: number;
  level: number;
  /** Whether the change at its start made things worse; null for the first. */
  isWorse: boolean | null;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** The stretches of a series, oldest first; those without a value are left out. */
export function stretchesOf(
  series: HistorySeries,
  changes: readonly HistoryChange[],
): Stretch[] {
  const own = changes
    .filter((change) => change.metric === series.metric)
    .sort((a, b) => a.run - b.run);
  const starts = [{ run: 0, isWorse: null as boolean | null }];
  starts.push(...own.map((change) => ({ run: change.run, isWorse: change.is_worse })));
  return starts.flatMap(({ run, isWorse }, position) => {
    const next = starts[position + 1]?.run ?? series.values.length;
    const known = series.values.slice(run, next).filter((value) => value !== null);
    return known.length === 0 ? [] : [{ from: run, to: next - 1, level: median(known), isWorse }];
  });
}

/** Whether a series has two different values. */
export function varies(series: HistorySeries): boolean {
  const known = series.values.filter((value) => value !== null);
  return known.some((value) => value !== known[0]);
}
