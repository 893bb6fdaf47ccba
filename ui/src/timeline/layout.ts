/**
 * Places groups and tracks as rows: folding, hiding, pinning and the filter. Pinned tracks are
 * shown again above the scrolled rows. Pure: a report and the user's choices in, rows with
 * pixels out.
 */
import { parsePattern } from '../format/pattern';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TrackGroup } from '../wire/generated/TrackGroup';
import type { TrackReport } from '../wire/generated/TrackReport';

export const GROUP_HEIGHT = 24;
export const LANE_HEIGHT = 19;
export const COUNTER_HEIGHT = 38;
/** Space below the last lane of a track. */
export const TRACK_GAP = 5;

/** What the user chose to see. */
export interface LayoutChoices {
  /** Tracks whose folding differs from the report's default. */
  toggledFolds: ReadonlySet<number>;
  /** Names of groups that are closed. */
  closedGroups: ReadonlySet<string>;
  hidden: ReadonlySet<number>;
  /** In the order of pinning. */
  pinned: readonly number[];
  filter: RegExp | null;
}

interface RowBase {
  /** Top, from the top of its section. */
  y: number;
  height: number;
}

export interface GroupRow extends RowBase {
  kind: 'group';
  group: TrackGroup;
  isClosed: boolean;
  trackCount: number;
}

export interface TrackRow extends RowBase {
  kind: 'track';
  group: TrackGroup;
  track: TrackReport;
  isPinnedCopy: boolean;
  isCounter: boolean;
  isFolded: boolean;
  /** Lanes drawn; all of them unless folded. */
  laneCount: number;
}

export type Row = GroupRow | TrackRow;

/** All rows, in two sections. */
export interface Layout {
  pinned: TrackRow[];
  pinnedHeight: number;
  rows: Row[];
  height: number;
  /** The scrolled row of a track, if it has one. */
  rowOfTrack: ReadonlyMap<number, TrackRow>;
  /** How many tracks the user has hidden. */
  hiddenCount: number;
}

/** Places every row. */
export function placeRows(report: TimelineReport, choices: LayoutChoices): Layout {
  const rows: Row[] = [];
  const rowOfTrack = new Map<number, TrackRow>();
  const pinnedByTrack = new Map<number, TrackRow>();
  let y = 0;
  let hiddenCount = 0;
  for (const group of report.groups) {
    const shown = group.tracks.filter((track) => isShown(group, track, choices));
    hiddenCount += group.tracks.filter((track) => choices.hidden.has(track.track)).length;
    for (const track of group.tracks) {
      if (choices.pinned.includes(track.track)) {
        pinnedByTrack.set(track.track, trackRow(group, track, choices, true));
      }
    }
    if (shown.length === 0 && (choices.filter || group.tracks.length > 0)) continue;
    const isClosed = choices.closedGroups.has(group.name) && !choices.filter;
    rows.push({
      kind: 'group',
      group,
      isClosed,
      trackCount: shown.length,
      y,
      height: GROUP_HEIGHT,
    });
    y += GROUP_HEIGHT;
    if (isClosed) continue;
    for (const track of shown) {
      const row = trackRow(group, track, choices, false);
      row.y = y;
      y += row.height;
      rows.push(row);
      rowOfTrack.set(track.track, row);
    }
  }
  const pinned = choices.pinned.flatMap((track) => pinnedByTrack.get(track) ?? []);
  let pinnedHeight = 0;
  for (const row of pinned) {
    row.y = pinnedHeight;
    pinnedHeight += row.height;
  }
  return { pinned, pinnedHeight, rows, height: y, rowOfTrack, hiddenCount };
}

/** A track that can be folded: it has more than one lane. */
export function isFoldable(track: TrackReport): boolean {
  return track.role !== 'counter' && track.lanes > 1;
}

/** First and one past the last row that touches the range of pixels. */
export function rowsBetween(rows: readonly Row[], top: number, bottom: number): [number, number] {
  const first = partition(rows, (row) => row.y + row.height <= top);
  const last = partition(rows, (row) => row.y < bottom);
  return [first, Math.max(first, last)];
}

/** The row at a height, if any. */
export function rowAt(rows: readonly Row[], y: number): Row | undefined {
  const row = rows[partition(rows, (candidate) => candidate.y + candidate.height <= y)];
  return row && y >= row.y ? row : undefined;
}

/** Height of one lane in the row. */
export function laneHeightOf(row: TrackRow): number {
  return row.isCounter ? COUNTER_HEIGHT : LANE_HEIGHT;
}

/** The pattern of the track filter; literal text if it is not a valid expression. */
export function filterPattern(text: string): RegExp | null {
  return text.trim() ? parsePattern(text.trim(), 'ignored').regex : null;
}

function isShown(group: TrackGroup, track: TrackReport, choices: LayoutChoices): boolean {
  if (choices.hidden.has(track.track)) return false;
  return !choices.filter || choices.filter.test(`${group.name} / ${track.name}`);
}

function trackRow(
  group: TrackGroup,
  track: TrackReport,
  choices: LayoutChoices,
  isPinnedCopy: boolean,
): TrackRow {
  const isCounter = track.role === 'counter';
  const isFolded = isFoldable(track) && track.folded !== choices.toggledFolds.has(track.track);
  const laneCount = isFolded ? 1 : Math.max(1, track.lanes);
  const height = (isCounter ? COUNTER_HEIGHT : laneCount * LANE_HEIGHT) + TRACK_GAP;
  return {
    kind: 'track',
    group,
    track,
    isPinnedCopy,
    isCounter,
    isFolded,
    laneCount,
    y: 0,
    height,
  };
}

/** Index of the first row for which the test fails; the test must hold for a prefix. */
function partition(rows: readonly Row[], test: (row: Row) => boolean): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(rows[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The group of a device or host, by its name in reports: `GPU:7`, `host-2/CPU:0`, or just `host-2`. */
export function groupRowOf(layout: Layout, place: string): GroupRow | undefined {
  const groups = layout.rows.filter((row): row is GroupRow => row.kind === 'group');
  const called = (row: GroupRow) => row.group.name.replace(' / ', '/');
  return (
    groups.find((row) => called(row) === place) ??
    groups.find((row) => called(row).startsWith(`${place}/`)) ??
    // With a single host, group names omit the host.
    groups.find((row) => place.endsWith(`/${called(row)}`))
  );
}
