/** What menus and buttons do with rows. Each returns the choices to go back to. */
import { tracksOf, type LayoutChoices, type TrackRow } from './layout';
import { mergedTrackOf } from './merged-track';
import type { Timeline } from './timeline';

/** Shows the track at the top, or no longer. */
export function togglePin(timeline: Timeline, track: number): void {
  const { pinned } = timeline.choices[0]();
  timeline.choose({
    pinned: pinned.includes(track)
      ? pinned.filter((other) => other !== track)
      : [...pinned, track],
  });
}

/** Hides tracks; returns the choices before. */
export function hideTracks(timeline: Timeline, tracks: readonly number[]): Partial<LayoutChoices> {
  const { hidden, pinned } = timeline.choices[0]();
  timeline.choose({
    hidden: new Set([...hidden, ...tracks]),
    pinned: pinned.filter((other) => !tracks.includes(other)),
  });
  return { hidden, pinned };
}

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
