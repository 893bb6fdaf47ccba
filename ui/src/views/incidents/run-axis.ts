/** The time axis that the charts of a run share. Pure. */
import { dateAcross, timeAcross, type AxisOf } from '../../widgets/chart/axis';

const PS_PER_MS = 1e9;
/** Shorter runs are shown in time since their start: dates would all be the same. */
const LONG_MS = 20 * 60_000;

/** The same in all charts of a run, so that one time is below the other. */
export const MARGIN = { left: 60 };

export interface RunAxis {
  /** The value on the axis of a time since the Unix epoch. */
  across: (epochMs: number) => number;
  x: AxisOf;
}

/** From the first to the last thing on the charts. */
export function runAxis({ from, to }: { from: number; to: number }): RunAxis {
  if (to - from > LONG_MS) return { across: (ms) => ms, x: dateAcross(from, to) };
  const across = (ms: number) => (ms - from) * PS_PER_MS;
  return { across, x: timeAcross(0, across(to)) };
}
