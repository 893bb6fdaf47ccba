/** Step times of several sessions on one axis: quartiles, dots, what lies outside. Pure. */
import { clamped, linear } from '../../widgets/chart/scale';
import type { ComparedSession } from '../../wire/generated/ComparedSession';

export interface Spread {
  count: number;
  low: number;
  lowerQuartile: number;
  median: number;
  upperQuartile: number;
  high: number;
}

/** From where to where step times are shown. */
export interface Ends {
  lowPs: number;
  highPs: number;
}

/** Quartiles of the steps that are no outliers; null without any. */
export function spreadOf(session: ComparedSession): Spread | null {
  const times = session.steps
    .filter((step) => !step.is_outlier)
    .map((step) => step.duration_ps)
    .sort((one, other) => one - other);
  if (times.length === 0) return null;
  const at = (share: number) => {
    const place = share * (times.length - 1);
    const below = times[Math.floor(place)] ?? 0;
    const above = times[Math.ceil(place)] ?? below;
    return below + (above - below) * (place - Math.floor(place));
  };
  return {
    count: times.length,
    low: at(0),
    lowerQuartile: at(0.25),
    median: at(0.5),
    upperQuartile: at(0.75),
    high: at(1),
  };
}

/** From the shortest to the longest typical step of all sessions; outliers lie at its end. */
export function axisOf(sessions: readonly ComparedSession[]): Ends | null {
  const spreads = sessions.map(spreadOf).filter((spread) => spread !== null);
  if (spreads.length === 0) return null;
  const low = Math.min(...spreads.map((spread) => spread.low));
  const high = Math.max(...spreads.map((spread) => spread.high));
  // Steps that hardly differ are not to look as if they did.
  const span = Math.max(high - low, high * 0.02, 1);
  const middle = (low + high) / 2;
  return { lowPs: Math.max(0, middle - span * 0.55), highPs: middle + span * 0.55 };
}

/** A time as a share of the width; what lies beyond the ends sticks to them. */
export const placeOf = ({ lowPs, highPs }: Ends, ps: number) =>
  clamped(linear(lowPs, highPs).share(ps));

/** Where a dot lies across the row, −1 to 1: spread evenly, always the same. */
export function jitterOf(index: number): number {
  return ((index * 0.618034) % 1) * 2 - 1;
}
