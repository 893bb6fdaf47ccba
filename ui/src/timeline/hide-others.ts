/** What only menus and the palette do with tracks: it is fetched with them. */
import { tracksOf, type LayoutChoices, type TrackRow } from './layout';
import { mergedTrackOf } from './merged-track';
import { hideTracks } from './row-commands';
import type { Timeline } from './timeline';

/** Hides all tracks but these; returns the choices before. */
export function hideOthers(timeline: Timeline, shown: readonly number[]): Partial<LayoutChoices> {
  const all = timeline.report.groups.flatMap(tracksOf).map((track) => track.track);
  return hideTracks(
    timeline,
    all.filter((track) => !shown.includes(track)),
  );
}

/** The track of a row with those that show the same: a merged track and its threads. */
export function shownBy(row: TrackRow): number[] {
  const { track } = row.track;
  const merged = mergedTrackOf(row.group);
  const isMember = merged?.members.includes(track) ?? false;
  return [track, ...row.members, ...(merged && isMember ? [merged.track] : [])];
}
