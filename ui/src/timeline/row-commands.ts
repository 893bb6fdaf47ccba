/** What menus and buttons do with rows. Each returns the choices to go back to. */
import { hostSectionsOf } from './host-sections';
import {
  groupsInOrder,
  membersOf,
  tracksInOrder,
  tracksOf,
  type GroupRow,
  type LayoutChoices,
  type Row,
  type TrackRow,
} from './layout';
import { movedBefore, orderBetween } from './row-order';
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

/** Halves the height of lanes, or no longer. */
export function toggleCompact(timeline: Timeline): void {
  timeline.choose({ isCompact: !timeline.choices[0]().isCompact });
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

/** The rows among which a row can be moved, in display order. */
export function siblingsOf(timeline: Timeline, row: Row): readonly Row[] {
  const { pinned, rows } = timeline.scene.layout;
  if (row.kind === 'group') return groupsBeside(timeline, row);
  if (row.isPinnedCopy) return pinned;
  return rows.filter((each) => each.kind === 'track' && each.group === row.group);
}

/** All groups, or those of the same host; hosts stay where they are. */
function groupsBeside(timeline: Timeline, row: GroupRow): readonly Row[] {
  if (row.isSection) return [];
  const sections = hostSectionsOf(timeline.report);
  const own = sections.get(row.group);
  const { rows } = timeline.scene.layout;
  return rows.filter(
    (each) => each.kind === 'group' && !each.isSection && sections.get(each.group) === own,
  );
}

/** The position of a row among those it can be moved between; -1 if it is not shown. */
export function positionOf(siblings: readonly Row[], row: Row): number {
  return siblings.findIndex((each) => keyOf(each) === keyOf(row));
}

/**
 * Moves a row before the one that is at a position now, or to the end. Returns the choices before;
 * null if it is there already.
 */
export function moveRow(
  timeline: Timeline,
  row: Row,
  position: number,
): Partial<LayoutChoices> | null {
  const siblings = siblingsOf(timeline, row);
  const from = positionOf(siblings, row);
  if (from < 0 || position === from || position === from + 1) return null;
  const before = timeline.choices[0]();
  const { pinned, trackOrder, groupOrder } = before;
  // Tracks that are hidden keep their place after the last one that is not.
  const anchorIn = <Key>(keys: readonly Key[], keyOfRow: (row: Row) => Key): Key | undefined => {
    const anchor = siblings[position];
    if (anchor) return keyOfRow(anchor);
    return keys[keys.indexOf(keyOfRow(siblings.at(-1)!)) + 1];
  };
  if (row.kind === 'group') {
    const usual = timeline.report.groups.map((group) => group.name);
    const now = groupsInOrder(timeline.report, before).map((group) => group.name);
    const next = movedBefore(now, [row.group.name], anchorIn(now, (each) => each.group.name));
    timeline.choose({ groupOrder: orderBetween(usual, next) });
    return { groupOrder };
  }
  const trackOf = (each: Row) => (each as TrackRow).track.track;
  const own = row.track.track;
  if (row.isPinnedCopy) {
    timeline.choose({ pinned: movedBefore(pinned, [own], anchorIn(pinned, trackOf)) });
    return { pinned };
  }
  const usual = tracksOf(row.group).map((track) => track.track);
  const now = tracksInOrder(row.group, before).map((track) => track.track);
  const next = movedBefore(now, [own, ...membersOf(row.track)], anchorIn(now, trackOf));
  const others = trackOrder.filter((track) => !usual.includes(track));
  timeline.choose({ trackOrder: [...others, ...orderBetween(usual, next)] });
  return { trackOrder };
}

/** Moves a row up or down by one; returns the choices before, null at an end. */
export function stepRow(
  timeline: Timeline,
  row: Row,
  direction: 1 | -1,
): Partial<LayoutChoices> | null {
  const siblings = siblingsOf(timeline, row);
  const from = positionOf(siblings, row);
  const own = row.kind === 'track' && !row.isPinnedCopy ? row.members : [];
  const isOwn = (each: Row) => each.kind === 'track' && own.includes(each.track.track);
  // A merged track moves past its threads, and so does what is below them.
  let to = from + direction;
  while (siblings[to] && isOwn(siblings[to]!)) to += direction;
  if (!siblings[to]) return null;
  return moveRow(timeline, row, direction < 0 ? to : to + 1);
}

function keyOf(row: Row): string {
  return row.kind === 'group' ? row.group.name : String(row.track.track);
}
