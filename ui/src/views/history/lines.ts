/** Series of a history within the runs of their group, split at change points. Pure. */
import { isCalled } from '../../shell/hash';
import type { HistoryChange } from '../../wire/generated/HistoryChange';
import type { HistoryReport } from '../../wire/generated/HistoryReport';
import type { HistoryRun } from '../../wire/generated/HistoryRun';
import type { HistorySeries } from '../../wire/generated/HistorySeries';

/** A series over the runs of its group, which are given by their positions in the report. */
export interface Drawn {
  runs: readonly number[];
  values: readonly (number | null)[];
}

/** The positions of the runs of a group, oldest first. */
export const runsOf = (report: HistoryReport, group: number): number[] =>
  report.runs.flatMap((run, position) => (run.group === group ? [position] : []));

/** The group of the session at a location; -1 if none of the runs is of it. */
export function ownGroup(report: HistoryReport, location: string | undefined): number {
  if (location === undefined) return -1;
  const isOwn = ({ source, name }: HistoryRun) => source === 'session' && isCalled(location, name);
  return report.runs.find(isOwn)?.group ?? -1;
}

export function drawnOf(report: HistoryReport, series: HistorySeries): Drawn {
  const runs = runsOf(report, series.group);
  return { runs, values: runs.map((run) => series.values[run] ?? null) };
}

/** Places between two change points, both ends included, and their median. */
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

/** The stretches of a drawn series, oldest first; those without a value are left out. */
export function stretchesOf(
  series: HistorySeries,
  drawn: Drawn,
  changes: readonly HistoryChange[],
): Stretch[] {
  const own = changes
    .filter(({ metric, group }) => metric === series.metric && group === series.group)
    .sort((a, b) => a.run - b.run);
  const starts = [{ at: 0, isWorse: null as boolean | null }];
  starts.push(
    ...own.map(({ run, is_worse }) => ({ at: drawn.runs.indexOf(run), isWorse: is_worse })),
  );
  return starts.flatMap(({ at, isWorse }, position) => {
    const next = starts[position + 1]?.at ?? drawn.values.length;
    const known = drawn.values.slice(at, next).filter((value) => value !== null);
    return known.length === 0 ? [] : [{ from: at, to: next - 1, level: median(known), isWorse }];
  });
}

/** Whether a series has two different values. */
export function varies(series: HistorySeries): boolean {
  const known = series.values.filter((value) => value !== null);
  return known.some((value) => value !== known[0]);
}

/** A level with its spread; a unit that both have is written once: `69.8 ± 11.5 ms`. */
export function withSpread(level: string, spread: string): string {
  const unitOf = (text: string) => /[^\d.,]+$/.exec(text)?.[0] ?? '';
  const unit = unitOf(level);
  const isShared = unit !== '' && unit === unitOf(spread);
  return `${isShared ? level.slice(0, -unit.length) : level} ± ${spread}`;
}
