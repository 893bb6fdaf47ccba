/** Where a figure is among the others of its column: five numbers, and a strip in each cell. Pure. */

/** Smallest and largest figure, quartiles and median. */
export interface Spread {
  low: number;
  lowerQuartile: number;
  median: number;
  upperQuartile: number;
  high: number;
}

/** Null with fewer than two different figures. */
export function spreadOf(values: readonly (number | null)[]): Spread | null {
  const sorted = values
    .filter((value): value is number => value !== null && Number.isFinite(value))
    .sort((one, other) => one - other);
  const low = sorted[0];
  const high = sorted.at(-1);
  if (low === undefined || high === undefined || low === high) return null;
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? low;
  return {
    low,
    lowerQuartile: at(0.25),
    median: at(0.5),
    upperQuartile: at(0.75),
    high,
  };
}

/**
 * A figure as a share of the strip, 0..1: linear, or logarithmic where figures are positive and differ
 * by more than a factor of 1,000.
 */
export function placeIn({ low, high }: Spread, value: number): number {
  const isWide = low > 0 && high / low > 1000;
  const scale = isWide ? Math.log : (figure: number) => figure;
  const share = (scale(value) - scale(low)) / (scale(high) - scale(low));
  return Math.max(0, Math.min(1, share));
}
