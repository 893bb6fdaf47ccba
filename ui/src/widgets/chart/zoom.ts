/** Zooming along the horizontal axis of a chart. Pure, but for the state in the address. */
import { getParam, setParams } from '../../shell/state';
import type { Axis, AxisOf } from './axis';
import type { Scale } from './scale';

/** The part of an axis that is shown, in its values. */
export interface Range {
  from: number;
  to: number;
}

export interface Zoom {
  /** Null while the whole axis is shown. */
  range: () => Range | null;
  setRange: (range: Range | null) => void;
}

/** The factor of one turn of the wheel or one key. */
const STEP = 1.4;
/** Below this share of the axis there is nothing more to see. */
const LEAST_SHARE = 1e-6;
/** Rounding errors at the ends of the axis. */
const EDGE = 1e-9;

/** Keeps the range in the address, as `name=from..to`; charts with the same name zoom together. */
export function createZoom(name: string): Zoom {
  return {
    range: () => parseRange(getParam(name)),
    setRange: (range) => setParams({ [name]: range && `${range.from}..${range.to}` }, true),
  };
}

export function parseRange(text: string | undefined): Range | null {
  const [from = NaN, to = NaN] = (text ?? '').split('..').map(Number);
  return from < to && Number.isFinite(to - from) ? { from, to } : null;
}

/** The axis zoomed to a range: as many labels as a plot of the whole at this scale would have there. */
export function zoomedAxis(axisOf: AxisOf, range: Range | null): AxisOf {
  if (!range) return axisOf;
  return (length) => {
    const [start, end] = sharesOf(axisOf(length).scale, range);
    const whole = axisOf(length / (end - start));
    const scale: Scale = {
      from: range.from,
      to: range.to,
      share: (value) => (whole.scale.share(value) - start) / (end - start),
      value: (share) => whole.scale.value(start + share * (end - start)),
    };
    const isInside = ({ value }: Axis['ticks'][number]) => {
      const share = scale.share(value);
      return share >= -1e-9 && share <= 1 + 1e-9;
    };
    return { ...whole, scale, ticks: whole.ticks.filter(isInside) };
  };
}

/** The range after zooming by a key or the wheel, around a share of what is shown; null for all. */
export function zoomedBy(
  whole: Scale,
  range: Range | null,
  around: number,
  direction: 'in' | 'out',
): Range | null {
  const [start, end] = range ? sharesOf(whole, range) : [0, 1];
  const fixed = start + around * (end - start);
  const factor = direction === 'in' ? 1 / STEP : STEP;
  return rangeOf(whole, fixed - (fixed - start) * factor, fixed + (end - fixed) * factor);
}

/** The range between two shares of what is shown. */
export function rangeBetween(
  whole: Scale,
  range: Range | null,
  one: number,
  other: number,
): Range | null {
  const [start, end] = range ? sharesOf(whole, range) : [0, 1];
  const at = (share: number) => start + Math.max(0, Math.min(1, share)) * (end - start);
  return rangeOf(whole, at(Math.min(one, other)), at(Math.max(one, other)));
}

function rangeOf(whole: Scale, start: number, end: number): Range | null {
  const length = Math.max(LEAST_SHARE, end - start);
  const from = Math.max(0, Math.min(1 - length, start));
  const to = Math.min(1, from + length);
  return from <= EDGE && to >= 1 - EDGE ? null : { from: whole.value(from), to: whole.value(to) };
}

/** The ends of a range as shares of the whole axis; all of it if they are outside. */
function sharesOf(whole: Scale, { from, to }: Range): [number, number] {
  const clamp = (share: number) => Math.max(0, Math.min(1, share));
  const [start, end] = [clamp(whole.share(from)), clamp(whole.share(to))];
  return end - start >= LEAST_SHARE / 2 ? [start, end] : [0, 1];
}
