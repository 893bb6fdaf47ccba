/**
 * The timeline's part of the URL, as text and back. Times are whole picoseconds since the session
 * began, slices are `track:lane:index`:
 *
 * - `window=START..END`      what is visible; absent at first: the steps, or everything
 * - `slice=7:0:1234`         the selected slice
 * - `area=START..END`        the selected area, over all tracks; `area=START..END@3,4` over some
 * - `marks=START..END,TIME`  marks that are kept; `marks.ts` has text, color and arrows
 * - `search=REGEX`           the search
 * - `at=host-2/CPU:0`       whose tracks are in sight at first
 * - `cause=idle`, `cause=op:NAME`  select what the device at `at` waited for longest in the area,
 *                             or the op with this name; without one, the area on its rows
 * - `ruler=GPU:6`           whose steps the ruler shows; absent: those of the first host or device
 * - `clock=step`            times read within their step; `clock=wall` as the time of day
 * - `path=1`                the critical path is shown under the step ruler
 * - `closed=TPU:0;threads`  closed groups, `closed=none` for none; absent: hosts of many threads,
 *                             and all of many hosts; `closed=~host-3` opens or closes one of these
 * - `color=scope;KEY;KEY`    what colors show, and the only keys that are not dimmed
 * - `rows=compact`          lanes have half their height
 * - `only=7`                all steps but this one are dimmed
 * - `over=7~9`, `over=7~b9`  step 9, or that of the baseline, is laid over step 7
 * - `order=5,3`  `groups=TPU:1;TPU:0`  tracks and groups that changed places
 * - `counters=12.log.shared`  scales of counters, by the first track of their name
 * - `tracks=REGEX`          the filter of tracks
 * - `top=7.12`, `top=TPU:0.0`  the first track or group in sight, and pixels of it that are not
 * - `pin=3,9`  `hide=4`      tracks pinned and hidden; `fold=5` tracks whose folding was changed
 */
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import type { Area } from './scene';
import { toggled } from './sets';
import type { TimeWindow } from './viewport';

/** `START..END` of a range. */
export function formatRange(range: TimeWindow): string {
  return `${Math.round(range.startPs)}..${Math.round(range.endPs)}`;
}

/** The range that `START..END` names; null for anything else. */
export function parseRange(text: string | undefined): TimeWindow | null {
  const match = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)$/.exec(text ?? '');
  if (!match) return null;
  const startPs = Number(match[1]);
  const endPs = Number(match[2]);
  return endPs >= startPs ? { startPs, endPs } : null;
}

/** `track:lane:index` of a slice. */
export function formatSliceRef(ref: SliceRefReport): string {
  return `${ref.track}:${ref.lane}:${ref.index}`;
}

/** The slice that `track:lane:index` names. */
export function parseSliceRef(text: string | undefined): SliceRefReport | null {
  const match = /^(\d+):(\d+):(\d+)$/.exec(text ?? '');
  if (!match) return null;
  return { track: Number(match[1]), lane: Number(match[2]), index: Number(match[3]) };
}

/** An area with its tracks. */
export function formatArea(area: Area): string {
  const range = formatRange(area);
  return area.tracks === null ? range : `${range}@${area.tracks.join(',')}`;
}

/** The area that a text names. */
export function parseArea(text: string | undefined): Area | null {
  const [range, tracks] = (text ?? '').split('@');
  const parsed = parseRange(range);
  if (!parsed || parsed.endPs <= parsed.startPs) return null;
  return { ...parsed, tracks: tracks === undefined ? null : parseTracks(tracks) };
}

/** Begins a list of the groups that are open instead of closed, or the other way round. */
const DIFFERENT = '~';
/** Longer lists of closed groups are told by what differs from the usual ones. */
const LONG_LIST = 8;

/** The closed groups, given those that start closed; empty if they are the same. */
export function formatClosed(closed: ReadonlySet<string>, first: readonly string[]): string {
  const isFirst = closed.size === first.length && first.every((name) => closed.has(name));
  if (isFirst) return '';
  const known = new Set(first);
  const opened = first.filter((name) => !closed.has(name));
  const different = [...opened, ...[...closed].filter((name) => !known.has(name))];
  if (closed.size > LONG_LIST && different.length < closed.size) return DIFFERENT + different.join(';');
  return closed.size > 0 ? [...closed].join(';') : 'none';
}

/** The closed groups that a text names. */
export function parseClosed(text: string | undefined, first: readonly string[]): Set<string> {
  if (!text) return new Set(first);
  if (text.startsWith(DIFFERENT)) {
    const names = text.slice(DIFFERENT.length).split(';').filter(Boolean);
    return names.reduce<Set<string>>(toggled, new Set(first));
  }
  return new Set(text === 'none' ? [] : text.split(';').filter(Boolean));
}

/** Names of groups, in the order given. */
export function parseNames(text: string | undefined): string[] {
  return [...new Set((text ?? '').split(';').filter(Boolean))];
}

/** Numbers of tracks, in the order given. */
export function parseTracks(text: string | undefined): number[] {
  const numbers = (text ?? '')
    .split(',')
    .filter((part) => /^\d+$/.test(part))
    .map(Number);
  return [...new Set(numbers)];
}

/** The first row in sight: the number of its track or the name of its group, and pixels scrolled. */
export interface Top {
  row: number | string;
  offset: number;
}

/** The first row in sight; empty at the very top. */
export function formatTop(top: Top | null): string {
  return top ? `${top.row}.${Math.round(top.offset)}` : '';
}

/** The row that a text names. */
export function parseTop(text: string | undefined): Top | null {
  const match = /^(.+)\.(-?\d+)$/.exec(text ?? '');
  if (!match) return null;
  const row = /^\d+$/.test(match[1]!) ? Number(match[1]) : match[1]!;
  return { row, offset: Number(match[2]) };
}
