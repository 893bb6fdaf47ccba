/**
 * Intervals as a track: an interval is in the first lane that is free when it starts, outer ones
 * first, so nested ones are below. In each window, what is narrower than a pixel shares it, as in the
 * tiles of the server. Pure.
 */
import type { LabelReport } from '../wire/generated/LabelReport';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import type { StatReport } from '../wire/generated/StatReport';
import { bareDetails } from './bare-details';
import { FIRST_LAID_LABEL, LAID_TRACK, type LaidTrack } from './laid';
import { firstGlyphAt, type Segment } from './segments';
import type { LaneTile, TrackTile } from './tile';
import { TILE_PX, tileSpanPs } from './tile-grid';

export interface Interval {
  startPs: number;
  durationPs: number;
  name: string;
  /** Color class; empty for that of markers. */
  className: string;
}

/** Where more intervals overlap, the last lane has several at a time. */
const MOST_LANES = 48;

/** The group of the track. */
export const LAID_GROUP = 'SQL';

interface Lane {
  startPs: Float64Array;
  durationPs: Float64Array;
  label: Uint32Array;
  /** Positions of the intervals. */
  positions: Uint32Array;
}

/** `factsOf` says what else is known about an interval, by its position. */
export function laidTrack(
  title: string,
  intervals: readonly Interval[],
  factsOf: (position: number) => StatReport[],
): LaidTrack {
  const { labels, labelOf } = labelsOf(intervals);
  const lanes = stacked(intervals).map((positions): Lane => ({
    startPs: Float64Array.from(positions, (at) => intervals[at]!.startPs),
    durationPs: Float64Array.from(positions, (at) => intervals[at]!.durationPs),
    label: Uint32Array.from(positions, (at) => labelOf(intervals[at]!)),
    positions: Uint32Array.from(positions),
  }));
  const track = {
    track: LAID_TRACK,
    name: title,
    role: 'other',
    lanes: Math.max(1, lanes.length),
    folded: false,
    slice_count: intervals.length,
    counter_min: null,
    counter_max: null,
    counter_unit: '',
  };
  return {
    group: { name: LAID_GROUP, kind: 'host', device_index: null, tracks: [track] },
    labels,
    segments: (level, firstIndex, lastIndex) => segmentsOf(lanes, level, firstIndex, lastIndex),
    details: (ref) => {
      const position = lanes[ref.lane]?.positions[ref.index];
      const interval = position === undefined ? undefined : intervals[position];
      if (position === undefined || !interval) return null;
      return detailsOf(ref, interval, `${LAID_GROUP} / ${title}`, factsOf(position));
    },
  };
}

/** One label for each name and class. */
function labelsOf(intervals: readonly Interval[]) {
  const known = new Map<string, LabelReport>();
  const keyOf = ({ name, className }: Interval) => `${className}\n${name}`;
  for (const interval of intervals) {
    const key = keyOf(interval);
    if (known.has(key)) continue;
    const label = FIRST_LAID_LABEL + known.size;
    known.set(key, { label, name: interval.name, class: interval.className || 'marker' });
  }
  return {
    labels: [...known.values()],
    labelOf: (interval: Interval) => known.get(keyOf(interval))?.label ?? FIRST_LAID_LABEL,
  };
}

/** The positions of the intervals of each lane, in time order. */
export function stacked(intervals: readonly Interval[]): number[][] {
  const order = intervals.map((_, position) => position);
  order.sort((a, b) => {
    const [one, other] = [intervals[a]!, intervals[b]!];
    return one.startPs - other.startPs || other.durationPs - one.durationPs || a - b;
  });
  const lanes: number[][] = [];
  const ends: number[] = [];
  for (const position of order) {
    const { startPs, durationPs } = intervals[position]!;
    let lane = ends.findIndex((endPs) => endPs <= startPs);
    if (lane < 0) lane = Math.min(ends.length, MOST_LANES - 1);
    ends[lane] = Math.max(ends[lane] ?? -Infinity, startPs + durationPs);
    (lanes[lane] ??= []).push(position);
  }
  return lanes;
}

function segmentsOf(
  lanes: readonly Lane[],
  level: number,
  firstIndex: number,
  lastIndex: number,
): Segment[] {
  const spanPs = tileSpanPs(level);
  const [startPs, endPs] = [firstIndex * spanPs, (lastIndex + 1) * spanPs];
  const drawn = lanes.map((lane, index) => tileOf(lane, index, startPs, endPs, spanPs / TILE_PX));
  const tile: TrackTile = { track: LAID_TRACK, lanes: drawn, counter: null, byteLength: 0 };
  return [{ tile, startPs, endPs, isExact: true }];
}

/** The intervals of a lane, or what those that share a pixel are together. */
function tileOf(
  lane: Lane,
  index: number,
  fromPs: number,
  toPs: number,
  pixelPs: number,
): LaneTile {
  const glyphs: Glyph[] = [];
  let shared: Glyph | null = null;
  let pixel = -1;
  for (let i = firstGlyphAt(lane.startPs, fromPs); i < lane.startPs.length; i++) {
    const startPs = lane.startPs[i]!;
    if (startPs >= toPs) break;
    const glyph = glyphOf(lane, i);
    const own = Math.floor(startPs / pixelPs);
    if (glyph.busyPs >= pixelPs) {
      glyphs.push(glyph);
      shared = null;
    } else if (shared && own === pixel) {
      merge(shared, glyph);
    } else {
      glyphs.push(glyph);
      [shared, pixel] = [glyph, own];
    }
  }
  return columnsOf(glyphs, index);
}

interface Glyph {
  startPs: number;
  endPs: number;
  busyPs: number;
  /** Of the interval that gives the label. */
  longestPs: number;
  label: number;
  count: number;
  index: number;
}

function glyphOf(lane: Lane, index: number): Glyph {
  const [startPs, durationPs] = [lane.startPs[index]!, lane.durationPs[index]!];
  const label = lane.label[index]!;
  const endPs = startPs + durationPs;
  return { startPs, endPs, busyPs: durationPs, longestPs: durationPs, label, count: 1, index };
}

function merge(into: Glyph, glyph: Glyph): void {
  into.endPs = Math.max(into.endPs, glyph.endPs);
  into.busyPs += glyph.busyPs;
  into.count += 1;
  if (glyph.longestPs <= into.longestPs) return;
  into.longestPs = glyph.longestPs;
  into.label = glyph.label;
}

function columnsOf(glyphs: readonly Glyph[], lane: number): LaneTile {
  return {
    lane,
    glyphCount: glyphs.length,
    startPs: Float64Array.from(glyphs, (glyph) => glyph.startPs),
    durationPs: Float64Array.from(glyphs, (glyph) => glyph.endPs - glyph.startPs),
    busyPs: Float64Array.from(glyphs, (glyph) => glyph.busyPs),
    index: Uint32Array.from(glyphs, (glyph) => glyph.index),
    count: Uint32Array.from(glyphs, (glyph) => glyph.count),
    label: Uint32Array.from(glyphs, (glyph) => glyph.label),
  };
}

function detailsOf(
  slice: SliceRefReport,
  { startPs, durationPs, name, className }: Interval,
  place: string,
  stats: StatReport[],
): SliceDetails {
  return bareDetails({
    slice,
    name,
    start_ps: startPs,
    duration_ps: durationPs,
    class: className || 'marker',
    track_name: place,
    stats,
  });
}
