/** The slice of the other session that one corresponds to: the matched op in the aligned step. */
import type { Matching, Side } from '../compare/matching';
import { escapeRegex } from '../format/text';
import type { SearchSlice } from '../wire/generated/SearchSlice';
import type { SliceDetails } from '../wire/generated/SliceDetails';

/** What the slice is called in the other session; null when the comparison knows that it has none. */
export function nameInOther(
  details: Pick<SliceDetails, 'name' | 'op' | 'program'>,
  side: Side,
  matching: Matching,
): string | null {
  if (!details.op) return details.name;
  const programId = /\((\d+)\)$/.exec(details.program ?? '')?.[1] ?? '';
  const op = matching.opOf(side, programId, details.op);
  if (!op) return details.name;
  const other = side === 'session' ? op.baseline : op.other;
  if (!other) return null;
  if (details.name === details.op) return other.name;
  // A kernel of the op: the other session may run another one.
  return other.kernel || other.name;
}

/** The search that finds slices of just this name. */
export function queryOf(name: string): string {
  return `^${escapeRegex(name)}$`;
}

/** Of the slices found the one on a track of the same name that begins nearest to the time. */
export function nearest(
  slices: readonly SearchSlice[],
  trackName: string,
  timePs: number,
): SearchSlice | null {
  const distance = (slice: SearchSlice) => Math.abs(slice.start_ps - timePs);
  const onTrack = slices.filter((slice) => slice.track_name === trackName);
  const candidates = onTrack.length > 0 ? onTrack : slices;
  return candidates.reduce<SearchSlice | null>(
    (best, slice) => (best === null || distance(slice) < distance(best) ? slice : best),
    null,
  );
}
