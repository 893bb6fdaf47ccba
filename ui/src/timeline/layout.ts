/**
 * Places groups and tracks as rows: folding, hiding, pinning and the filter. Pinned tracks are
 * shown again above the scrolled rows. Pure: a report and the user's choices in, rows with
 * pixels out.
 */
import { parsePattern } from '../format/pattern';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TrackGroup } from '../wire/generated/TrackGroup';
import type { TrackReport } from '../wire/generated/TrackReport';
import { scaleOfCounter, type CounterChoices, type CounterScale } from './counter-scale';
import { hostSectionsOf, type HostSection } from './host-sections';
import { LAID_TRACK } from './laid';
import { mergedTrackOf, type MergedTrack } from './merged-track';
import { arranged } from './row-order';

export const GROUP_HEIGHT = 24;
export const LANE_HEIGHT = 19;
export const COUNTER_HEIGHT = 38;
/** The same if the reader wants to see more rows at once. */
export const COMPACT_LANE_HEIGHT = 10;
export const COMPACT_COUNTER_HEIGHT = 20;
/** The strip that sums up a closed group: its height, and the space above it. */
export const SUMMARY_HEIGHT = 18;
export const SUMMARY_INSET = 3;
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
  /** Tracks that changed places within their group, and groups that did. */
  trackOrder: readonly number[];
  groupOrder: readonly string[];
  filter: RegExp | null;
  /** The filter as typed. */
  filterText: string;
  /** Lanes that tracks need in the window, where known; rows are no higher than that. */
  depths: ReadonlyMap<number, number>;
  /** Whether lanes have half their height. */
  isCompact: boolean;
  /** Scales of counters that are not the usual ones. */
  counters: CounterChoices;
}

/** What is shown if the reader has chosen nothing. */
export const FIRST_CHOICES: LayoutChoices = {
  toggledFolds: new Set(),
  closedGroups: new Set(),
  hidden: new Set(),
  pinned: [],
  trackOrder: [],
  groupOrder: [],
  filter: null,
  filterText: '',
  depths: new Map(),
  isCompact: false,
  counters: new Map(),
};

interface RowBase {
  /** Top, from the top of its section. */
  y: number;
  height: number;
}

export interface GroupRow extends RowBase {
  kind: 'group';
  /** A group of the report, or a section: all groups of a host. */
  group: TrackGroup;
  isSection: boolean;
  /** In a section. */
  isInside: boolean;
  isClosed: boolean;
  trackCount: number;
  /** While closed: the tracks whose work the row sums up. */
  summary: readonly number[];
}

export interface TrackRow extends RowBase {
  kind: 'track';
  group: TrackGroup;
  track: TrackReport;
  isPinnedCopy: boolean;
  isCounter: boolean;
  /** For counters. */
  scale: CounterScale | null;
  isFolded: boolean;
  /** Lanes drawn: those that the window needs, or one if folded. */
  laneCount: number;
  /** The tracks that the row shows, if it shows several as one. */
  members: readonly number[];
}

export type Row = GroupRow | TrackRow;

/** All rows, in two sections. */
export interface Layout {
  /** Height of a lane; a slice leaves its last pixel empty. */
  laneHeight: number;
  pinned: TrackRow[];
  pinnedHeight: number;
  rows: Row[];
  height: number;
  /** The scrolled row that shows a track, if any: its own or that of a merged track. */
  rowOfTrack: ReadonlyMap<number, TrackRow>;
  /** How many tracks the user has hidden. */
  hiddenCount: number;
}

/** Places every row. */
export function placeRows(report: TimelineReport, choices: LayoutChoices): Layout {
  const rows: Row[] = [];
  const rowOfTrack = new Map<number, TrackRow>();
  const pinnedByTrack = new Map<number, TrackRow>();
  const sections = hostSectionsOf(report);
  let y = 0;
  let hiddenCount = 0;
  let host: GroupRow | undefined;
  const addGroup = (group: TrackGroup | HostSection): GroupRow => {
    const isClosed = choices.closedGroups.has(group.name) && !choices.filter;
    const row: GroupRow = {
      kind: 'group',
      group,
      isSection: 'groups' in group,
      isInside: sections.has(group),
      isClosed,
      trackCount: 0,
      summary: isClosed ? summaryOf(group) : [],
      y,
      height: GROUP_HEIGHT,
    };
    rows.push(row);
    y += GROUP_HEIGHT;
    return row;
  };
  const rowOfHost = (section: HostSection): GroupRow =>
    host?.group === section ? host : (host = addGroup(section));
  const isPlain = choices.hidden.size + choices.pinned.length === 0 && !choices.filter;
  for (const group of groupsInOrder(report, choices)) {
    const section = sections.get(group);
    if (section && isPlain && choices.closedGroups.has(section.name)) {
      // Of a thousand hosts, nearly all are closed.
      rowOfHost(section).trackCount += group.tracks.length;
      continue;
    }
    const tracks = tracksInOrder(group, choices);
    const shown = tracks.filter((track) => isShown(group, track, choices));
    hiddenCount += tracks.filter((track) => choices.hidden.has(track.track)).length;
    for (const track of tracks) {
      if (choices.pinned.includes(track.track)) {
        pinnedByTrack.set(track.track, trackRow(report, group, track, choices, true));
      }
    }
    if (shown.length === 0) continue;
    if (section) {
      const own = rowOfHost(section);
      own.trackCount += countOf(shown);
      if (own.isClosed) continue;
    }
    const row = addGroup(group);
    row.trackCount = countOf(shown);
    if (row.isClosed) continue;
    for (const track of shown) {
      const row = trackRow(report, group, track, choices, false);
      row.y = y;
      y += row.height;
      rows.push(row);
      rowOfTrack.set(track.track, row);
      for (const member of row.members) {
        if (!rowOfTrack.has(member)) rowOfTrack.set(member, row);
      }
    }
  }
  const pinned = choices.pinned.flatMap((track) => pinnedByTrack.get(track) ?? []);
  let pinnedHeight = 0;
  for (const row of pinned) {
    row.y = pinnedHeight;
    pinnedHeight += row.height;
  }
  return {
    laneHeight: laneHeightOf(choices),
    pinned,
    pinnedHeight,
    rows,
    height: y,
    rowOfTrack,
    hiddenCount,
  };
}

/** A host with more threads than this starts closed if devices are shown: its strip sums it up. */
const MANY_THREADS = 20;

/** The groups that start closed; with many hosts, all of these. */
export function firstClosed(report: TimelineReport): string[] {
  const hasDevices = report.groups.some((group) => group.kind === 'device');
  const isLong = (group: TrackGroup) => group.kind === 'host' && group.tracks.length > MANY_THREADS;
  const hosts = new Set(hostSectionsOf(report).values());
  const long = hasDevices ? report.groups.filter(isLong) : [];
  return [...hosts, ...long].map((group) => group.name);
}

/** The tracks of a group in display order, a merged one before its members. */
export function tracksOf(group: TrackGroup): readonly TrackReport[] {
  const merged = mergedTrackOf(group);
  if (!merged) return group.tracks;
  const first = group.tracks.findIndex((track) => merged.members.includes(track.track));
  return [...group.tracks.slice(0, first), merged, ...group.tracks.slice(first)];
}

/** The groups of a session in the reader's order. */
export function groupsInOrder(
  report: TimelineReport,
  { groupOrder }: Pick<LayoutChoices, 'groupOrder'>,
): readonly TrackGroup[] {
  return arranged(report.groups, (group) => group.name, groupOrder);
}

/** The tracks of a group in the reader's order. */
export function tracksInOrder(
  group: TrackGroup,
  { trackOrder }: Pick<LayoutChoices, 'trackOrder'>,
): readonly TrackReport[] {
  return arranged(tracksOf(group), (track) => track.track, trackOrder);
}

/** The tracks that a merged track shows; none for others. */
export function membersOf(track: TrackReport): readonly number[] {
  return (track as Partial<MergedTrack>).members ?? [];
}

/** The tracks of the session whose slices a row draws. */
export function tracksOfRow(row: Row): readonly number[] {
  const shown = row.kind === 'group' ? row.summary : row.members;
  const all = row.kind === 'track' && shown.length === 0 ? [row.track.track] : shown;
  return all.filter((track) => track !== LAID_TRACK);
}

/** A track that can be folded: it has more than one lane, or shows several tracks. */
export function isFoldable(track: TrackReport): boolean {
  return (track.role !== 'counter' && track.lanes > 1) || membersOf(track).length > 0;
}

/** Whether a track is folded. */
export function isFolded(
  track: TrackReport,
  { toggledFolds }: Pick<LayoutChoices, 'toggledFolds'>,
): boolean {
  return isFoldable(track) && track.folded !== toggledFolds.has(track.track);
}

/** How many tracks of the session these show. */
function countOf(shown: readonly TrackReport[]): number {
  const numbers = shown.flatMap((track) => {
    const members = membersOf(track);
    return members.length > 0 ? members : [track.track];
  });
  return new Set(numbers).size;
}

/**
 * What says how busy a group is: the ops or streams of a device, the threads of a host; of a section,
 * its devices, or without any its threads.
 */
function summaryOf(group: TrackGroup | HostSection): number[] {
  if ('groups' in group) {
    const devices = group.groups.filter(({ kind }) => kind === 'device');
    return (devices.length > 0 ? devices : group.groups).flatMap(summaryOf);
  }
  const inRoles = (...roles: string[]) => group.tracks.filter(({ role }) => roles.includes(role));
  const work = inRoles('ops', 'stream');
  const found = work.length > 0 ? work : inRoles('python', 'host_thread');
  const slices = group.tracks.filter(({ role }) => role !== 'counter');
  return (found.length > 0 ? found : slices).map(({ track }) => track);
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

/** The pattern of the track filter; literal text if it is not a valid expression. */
export function filterPattern(text: string): RegExp | null {
  return text.trim() ? parsePattern(text.trim(), 'ignored').regex : null;
}

function isShown(group: TrackGroup, track: TrackReport, choices: LayoutChoices): boolean {
  if (choices.hidden.has(track.track)) return false;
  if (choices.filter) return choices.filter.test(`${group.name} / ${track.name}`);
  const merged = mergedTrackOf(group);
  if (!merged?.members.includes(track.track)) return true;
  // Threads are below their merged track, and hidden with it.
  return !choices.hidden.has(merged.track) && !isFolded(merged, choices);
}

/** Height of a lane. */
function laneHeightOf({ isCompact }: LayoutChoices): number {
  return isCompact ? COMPACT_LANE_HEIGHT : LANE_HEIGHT;
}

function trackRow(
  report: TimelineReport,
  group: TrackGroup,
  track: TrackReport,
  choices: LayoutChoices,
  isPinnedCopy: boolean,
): TrackRow {
  const isCounter = track.role === 'counter';
  const members = membersOf(track);
  const isOneLane = members.length === 0 && isFolded(track, choices);
  const depth = choices.depths.get(track.track) ?? track.lanes;
  const laneCount = isOneLane ? 1 : Math.max(1, depth);
  const counterHeight = choices.isCompact ? COMPACT_COUNTER_HEIGHT : COUNTER_HEIGHT;
  const height = (isCounter ? counterHeight : laneCount * laneHeightOf(choices)) + TRACK_GAP;
  return {
    kind: 'track',
    group,
    track,
    isPinnedCopy,
    isCounter,
    scale: isCounter ? scaleOfCounter(report, track, choices.counters) : null,
    isFolded: isFolded(track, choices),
    laneCount,
    members,
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
    // A closed host stands for its groups.
    groups.find((row) => row.isSection && place.startsWith(`${called(row)}/`)) ??
    // With a single host, group names omit the host.
    groups.find((row) => place.endsWith(`/${called(row)}`))
  );
}
