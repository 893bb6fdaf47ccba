/** All slices with the name of the selected one: how its duration compares, and those before and after. */
import type { OccurrenceBar } from '../wire/generated/OccurrenceBar';
import type { OccurrencesReport } from '../wire/generated/OccurrencesReport';
import type { SearchSlice } from '../wire/generated/SearchSlice';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import { sameSlice } from './search';

/** The maximum number of occurrences that are listed. */
export const OCCURRENCE_LIMIT = 4000;

/** The slice around which occurrences are listed, and with which all are compared. */
export interface Compared {
  startPs: number;
  durationPs: number;
}

/** The occurrences of one name, as asked about one of them. */
export interface Occurrences extends OccurrencesReport {
  name: string;
  asked: Compared;
}

/** Whether every occurrence is listed. */
export function isWhole({ slices, slice_count }: OccurrencesReport): boolean {
  return slices.length === slice_count;
}

/** Whether an answer is also one about this slice. */
export function isAbout(found: Occurrences, name: string, slice: Compared): boolean {
  const { asked } = found;
  const isSame = asked.startPs === slice.startPs && asked.durationPs === slice.durationPs;
  return found.name === name && (isSame || isWhole(found));
}

/** Position of a slice among all, in time order; -1 if it is not listed. */
export function positionOf(found: Occurrences, ref: SliceRefReport): number {
  const at = found.slices.findIndex(({ slice }) => sameSlice(slice, ref));
  return at < 0 ? -1 : found.first_position + at;
}

/** The slice before or after another one, across all tracks; null at the ends. */
export function beside(
  found: Occurrences,
  ref: SliceRefReport,
  offset: 1 | -1,
): SearchSlice | null {
  const at = positionOf(found, ref) - found.first_position;
  return at < 0 ? null : (found.slices[at + offset] ?? null);
}

/** The bar of a duration; the last one has both its ends. */
export function barOf(bars: readonly OccurrenceBar[], durationPs: number): number {
  const index = bars.findIndex((bar) => durationPs < bar.to_ps);
  return index < 0 ? bars.length - 1 : index;
}

/** The share of all occurrences that are shorter than a duration. */
export function shareBelow(found: Occurrences, durationPs: number): number {
  const isAsked = durationPs === found.asked.durationPs;
  const shorter = isAsked
    ? found.shorter_count
    : found.slices.filter((slice) => slice.duration_ps < durationPs).length;
  return shorter / Math.max(1, found.slice_count);
}
