/** Converts values to positions along an axis, and back. Pure. */

export interface Scale {
  from: number;
  to: number;
  /** The position of a value: 0 at `from`, 1 at `to`, below 0 or above 1 beyond the ends. */
  share: (value: number) => number;
  /** The value at a share of the axis. */
  value: (share: number) => number;
}

export function linear(from: number, to: number): Scale {
  // An axis of zero length still has a position for its only value.
  const length = to > from ? to - from : 1;
  return {
    from,
    to: from + length,
    share: (value) => (value - from) / length,
    value: (share) => from + share * length,
  };
}

/** Equal factors have equal distances; `from` and `to` must be positive. */
export function logarithmic(from: number, to: number): Scale {
  const start = Math.log(from);
  const length = to > from ? Math.log(to) - start : 1;
  return {
    from,
    to: Math.exp(start + length),
    share: (value) => (Math.log(value) - start) / length,
    value: (share) => Math.exp(start + share * length),
  };
}

/** A share that stays on the axis. */
export const clamped = (share: number) => Math.max(0, Math.min(1, share));

/** The minimum and maximum of the values; null if there are none. */
export function rangeOf(values: Iterable<number>): { from: number; to: number } | null {
  let [from, to] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < from) from = value;
    if (value > to) to = value;
  }
  return from <= to ? { from, to } : null;
}

/** Adds room on both sides, as a share of the length; equal ends get a tenth of their absolute value. */
export function withRoom(range: { from: number; to: number }, share: number) {
  const { from, to } = range;
  const room = to > from ? share * (to - from) : Math.max(Math.abs(to) * 0.1, 1e-12);
  return { from: from - room, to: to + room };
}
