/** Step times of several sessions on one axis: quartiles, dots, outliers. Pure. */
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

/** Ends of the axis of step times. */
export interface Ends {
  lowPs: number;
  highPs: number;
}

/** Quartiles of the steps that are not outliers; null if there are none. */
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

/** An axis from the shortest to the longest typical step of all sessions, with a small margin. */
export function axisOf(sessions: readonly ComparedSession[]): Ends | null {
  const spreads = sessions.map(spreadOf).filter((spread) => spread !== null);
  if (spreads.length === 0) return null;
  const low = Math.min(...spreads.map((spread) => spread.low));
  const high = Math.max(...spreads.map((spread) => spread.high));
  // Nearly equal steps must not look different.
  const span = Math.max(high - low, high * 0.02, 1);
  const middle = (low + high) / 2;
  return { lowPs: Math.max(0, middle - span * 0.55), highPs: middle + span * 0.55 };
}

/** A time as a share of the width; outliers are clamped to the ends. */
export const placeOf = ({ lowPs, highPs }: Ends, ps: number) =>
  clamped(linear(lowPs, highPs).share(ps));

/** The position of a dot across its row, −1 to 1: evenly spread and deterministic. */
export function jitterOf(index: number): number {
  return ((index * 0.618034) % 1) * 2 - 1;
}

/** With more steps beyond the axis, only the longest is named. */
const MOST_NAMED = 3;
/** More arrows would be a band. */
const MOST_CUT = 100;
/** Pixels of a name, of half an arrow, and between the middle of an arrow and its name. */
const NAME_PX = 58;
const ARROW_PX = 5;
const BESIDE_PX = 8;

/** A step that is longer than an axis, and on which side of its arrow its time is written. */
export interface CutStep {
  index: number;
  ps: number;
  side: 'left' | 'right' | null;
}

/**
 * The steps that are longer than an axis, longest first. Where a name would cover another one or an
 * arrow on both sides, there is none.
 */
export function cutOf(
  lengths: readonly number[],
  topPs: number,
  xOf: (index: number) => number,
  width: number,
): CutStep[] {
  const all = lengths.flatMap((ps, index) => (ps > topPs ? [{ index, ps }] : []));
  const cut = all.sort((one, other) => other.ps - one.ps).slice(0, MOST_CUT);
  const named = all.length <= MOST_NAMED ? all.length : 1;
  const taken = cut.map(({ index }) => [xOf(index) - ARROW_PX, xOf(index) + ARROW_PX] as const);
  const sideOf = (x: number): CutStep['side'] => {
    for (const side of ['right', 'left'] as const) {
      const from = side === 'right' ? x + BESIDE_PX : x - BESIDE_PX - NAME_PX;
      const to = from + NAME_PX;
      if (from < 0 || to > width || taken.some(([start, end]) => from < end && start < to)) continue;
      taken.push([from, to]);
      return side;
    }
    return null;
  };
  return cut.map((each, at) => ({ ...each, side: at < named ? sideOf(xOf(each.index)) : null }));
}
