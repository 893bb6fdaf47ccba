/** Finds the matching slice in the other session: the matched op in the aligned step. */
import type { Matching, Side } from '../compare/matching';
import { escapeRegex } from '../format/text';
import type { SearchSlice } from '../wire/generated/SearchSlice';
import type { SliceDetails } from '../wire/generated/SliceDetails';

/** The name of the slice in the other session; null if its op has no counterpart there. */
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

/** The search query for slices with exactly this name. */
export function queryOf(name: string): string {
  return `^${escapeRegex(name)}$`;
}

/** The slice that begins nearest to the time, on a track with the same name if there is one. */
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
