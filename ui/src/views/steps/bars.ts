/** Rows per device as one bar per step: the mean over hosts and devices. Pure. */
import { formatCount, plural } from '../../format/numbers';
import { PARTS } from '../../format/palette';
import type { StepBar } from '../../wire/generated/StepBar';
import type { StepRow } from '../../wire/generated/StepRow';

export interface Bar extends StepBar {
  /** Longest over hosts and devices. */
  longestPs: number;
}

export function barsOf(rows: readonly StepRow[]): Bar[] {
  const bySteps = new Map<number, StepRow[]>();
  for (const row of rows) {
    const list = bySteps.get(row.step);
    if (list) list.push(row);
    else bySteps.set(row.step, [row]);
  }
  return [...bySteps.values()]
    .map((list) => ({
      step: list[0]?.step ?? 0,
      start_ps: Math.min(...list.map((row) => row.start_ps)),
      duration_ps: mean(list, (row) => row.duration_ps),
      longestPs: Math.max(...list.map((row) => row.duration_ps)),
      parts_ps: PARTS.map((part) => mean(list, (row) => row[`${part.part}_ps`])),
      is_outlier: list.some((row) => row.is_outlier),
    }))
    .sort((one, other) => one.start_ps - other.start_ps);
}

/** The bars of the selected steps; all without a selection. */
export const chosenOf = <Own extends Pick<Bar, 'step'>>(
  bars: readonly Own[],
  isChosen: ((step: number) => boolean) | null,
): readonly Own[] => (isChosen ? bars.filter(({ step }) => isChosen(step)) : bars);

/** `6 steps`, or `4 of 6 steps` where some are selected. */
export const countText = (chosen: number, all: number): string =>
  chosen === all ? plural(all, 'step') : `${formatCount(chosen)} of ${plural(all, 'step')}`;

function mean(rows: readonly StepRow[], value: (row: StepRow) => number): number {
  return rows.reduce((sum, row) => sum + value(row), 0) / rows.length;
}
