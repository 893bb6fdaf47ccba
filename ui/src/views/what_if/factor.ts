/** Changes with a factor, `scale:PATTERN:0.5` and `network:2`, and the stops of their sliders. */

/** A change around its factor. */
export interface Factored {
  /** What stands before the factor. */
  prefix: string;
  factor: number;
  /** The factors a slider offers, ascending. */
  stops: readonly number[];
}

const STOPS = [0.1, 0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4, 8, 16];

/** The parts of a change with a factor; null for others. */
export function factored(change: string): Factored | null {
  const match = /^((?:scale:.+|network):)([0-9.]+)x?$/.exec(change);
  const factor = Number(match?.[2]);
  if (!match || !Number.isFinite(factor)) return null;
  const prefix = match[1]!;
  // Work may take no time at all; a network takes some.
  const stops = prefix.startsWith('scale:') ? [0, ...STOPS] : STOPS;
  return { prefix, factor, stops };
}

/** The position of the stop nearest to a factor, on a logarithmic scale. */
export function nearestStop(stops: readonly number[], factor: number): number {
  const distance = (stop: number) => Math.abs(Math.log((stop + 0.01) / (factor + 0.01)));
  return stops.reduce(
    (best, stop, index) => (distance(stop) < distance(stops[best]!) ? index : best),
    0,
  );
}
