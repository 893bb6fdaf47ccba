/** All slices with the name of the selected one: how its duration compares, and those before and after. */
import type { SearchSlice } from '../wire/generated/SearchSlice';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import { sameSlice } from './search';

/** The maximum number of occurrences that are listed. */
export const OCCURRENCE_LIMIT = 4000;

/** The occurrences of one name, in time order. */
export interface Occurrences {
  name: string;
  slices: readonly SearchSlice[];
  /** How many there are in the session; more than `slices` if those are cut. */
  total: number;
}

/** Position of a slice; -1 if it is not listed. */
export function positionOf(found: Occurrences, ref: SliceRefReport): number {
  return found.slices.findIndex(({ slice }) => sameSlice(slice, ref));
}

/** The slice before or after another one, across all tracks; null at the ends. */
export function beside(
  found: Occurrences,
  ref: SliceRefReport,
  offset: 1 | -1,
): SearchSlice | null {
  const at = positionOf(found, ref);
  return at < 0 ? null : (found.slices[at + offset] ?? null);
}

/** A bar of a histogram. */
export interface Bar {
  fromPs: number;
  toPs: number;
  count: number;
}

/**
 * Durations in bars of equal width, from the shortest to the longest; of equal ratio if they span more
 * than a factor of 30.
 */
export function histogram(durations: readonly number[], barCount: number): Bar[] {
  const [least, most] = [Math.min(...durations), Math.max(...durations)];
  if (durations.length === 0) return [];
  const isWide = least > 0 && most / least > 30;
  const [low, high] = isWide ? [Math.log(least), Math.log(most)] : [least, most];
  const width = (high - low) / barCount;
  const edge = (i: number) => (isWide ? Math.exp(low + i * width) : low + i * width);
  const bars = Array.from({ length: barCount }, (_, i) => ({
    fromPs: edge(i),
    toPs: edge(i + 1),
    count: 0,
  }));
  for (const duration of durations) bars[barOf(bars, duration)]!.count++;
  return bars;
}

/** The bar of a duration; the last one has both its ends. */
export function barOf(bars: readonly Bar[], duration: number): number {
  const index = bars.findIndex((bar) => duration < bar.toPs);
  return index < 0 ? bars.length - 1 : index;
}

/** The share of the occurrences that are shorter than a duration. */
export function shareBelow(durations: readonly number[], duration: number): number {
  return durations.filter((other) => other < duration).length / Math.max(1, durations.length);
}

/** The smallest value that at least this share of the values does not exceed. */
export function quantile(durations: readonly number[], share: number): number {
  const sorted = [...durations].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
