/**
 * The ops of an XLA:CPU device as one track. The runtime runs them on a pool of threads, so each
 * thread shows a few of them with gaps in between; together they are what the device did.
 *
 * Slices keep the addresses that they have on their threads, so links, selections and flows are the
 * same with and without this track. It is composed on the page, from the tiles of the threads.
 */
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import type { TrackGroup } from '../wire/generated/TrackGroup';
import type { TrackReport } from '../wire/generated/TrackReport';
import { firstGlyphAt, type Segment } from './segments';
import type { LaneTile, TrackTile } from './tile';

/** Merged tracks have numbers from here on; those of the session are smaller. */
export const FIRST_MERGED = 2 ** 24;

/** A track that shows the slices of several others. */
export interface MergedTrack extends TrackReport {
  members: readonly number[];
}

const known = new WeakMap<TrackGroup, MergedTrack | null>();

/** The merged track of a device whose ops are spread over several tracks; null for others. */
export function mergedTrackOf(group: TrackGroup): MergedTrack | null {
  let merged = known.get(group);
  if (merged === undefined) known.set(group, (merged = merge(group)));
  return merged;
}

function merge(group: TrackGroup): MergedTrack | null {
  const members = group.tracks.filter((track) => track.role === 'ops');
  if (group.kind !== 'device' || members.length < 2) return null;
  const numbers = members.map((track) => track.track);
  return {
    track: FIRST_MERGED + Math.min(...numbers),
    name: 'XLA Ops',
    role: 'ops',
    lanes: 1,
    folded: true,
    slice_count: members.reduce((sum, track) => sum + track.slice_count, 0),
    counter_max: null,
    counter_unit: '',
    members: numbers,
  };
}

/** The address of a glyph of a lane: on the merged track, that of the thread it ran on. */
export function refOf(columns: LaneTile, i: number, track: number, lane: number): SliceRefReport {
  const { sources } = columns;
  const index = columns.index[i]!;
  if (!sources) return { track, lane, index };
  return { track: sources.tracks[i]!, lane: sources.lanes[i]!, index };
}

/** The lane of a merged track on which a slice is drawn; -1 if it is not loaded or merged. */
export function laneOf(segment: Segment | undefined, ref: SliceRefReport, startPs: number): number {
  const lanes = segment?.tile?.lanes ?? [];
  return lanes.findIndex((columns) => {
    for (let i = firstGlyphAt(columns.startPs, startPs); i < columns.glyphCount; i++) {
      if (columns.startPs[i]! > startPs) return false;
      const found = refOf(columns, i, 0, 0);
      if (found.track === ref.track && found.lane === ref.lane && found.index === ref.index) {
        return true;
      }
    }
    return false;
  });
}

/** One glyph of a member, or several that share a pixel. */
interface Piece {
  startPs: number;
  endPs: number;
  busyPs: number;
  count: number;
  label: number;
  /** Time of the slice that gives the label. */
  longestPs: number;
  track: number;
  lane: number;
  index: number;
}

/**
 * One segment with the slices of all members, in as few lanes as they need: a slice is in the first
 * lane that is free when it starts, so lanes are the same in every window that has a moment of rest.
 * What is narrower than a pixel shares it, as within one track.
 */
export function composed(
  members: readonly { track: number; segments: readonly Segment[] }[],
  pixelPs: number,
): Segment | null {
  const [first, last] = [members[0]?.segments[0], members[0]?.segments.at(-1)];
  if (!first || !last) return null;
  const all = members.flatMap((member) => member.segments);
  const isExact = all.every((segment) => segment.isExact);
  const isLoaded = all.some((segment) => segment.tile !== null);
  const lanes = isLoaded ? packed(joined(members.flatMap(piecesOf), pixelPs), pixelPs) : [];
  const tile: TrackTile | null = isLoaded
    ? { track: FIRST_MERGED, lanes, counter: null, byteLength: 0 }
    : null;
  return { tile, startPs: first.startPs, endPs: last.endPs, isExact };
}

function piecesOf(member: { track: number; segments: readonly Segment[] }): Piece[] {
  const pieces: Piece[] = [];
  member.segments.forEach((segment, position) => {
    segment.tile?.lanes.forEach((columns, lane) => {
      const { startPs, durationPs, busyPs, count, label, index, glyphCount } = columns;
      for (let i = firstGlyphAt(startPs, segment.startPs); i < glyphCount; i++) {
        const start = startPs[i]!;
        if (start >= segment.endPs) break;
        // A slice that reaches into this segment is in the one before.
        if (start < segment.startPs && position > 0) continue;
        pieces.push({
          startPs: start,
          endPs: start + durationPs[i]!,
          busyPs: busyPs[i]!,
          count: count[i]!,
          label: label[i]!,
          longestPs: busyPs[i]! / count[i]!,
          track: member.track,
          lane,
          index: index[i]!,
        });
      }
    });
  });
  return pieces;
}

/** Sorted by start, outer slices first; narrow neighbors that start in the same pixel are one. */
function joined(pieces: Piece[], pixelPs: number): Piece[] {
  pieces.sort((one, other) => one.startPs - other.startPs || other.endPs - one.endPs);
  const result: Piece[] = [];
  let narrow: Piece | null = null;
  for (const piece of pieces) {
    if (!isNarrow(piece, pixelPs)) {
      result.push(piece);
      continue;
    }
    const pixel = Math.floor(piece.startPs / pixelPs);
    if (narrow && Math.floor(narrow.startPs / pixelPs) === pixel) {
      narrow.endPs = Math.max(narrow.endPs, piece.endPs);
      narrow.busyPs += piece.busyPs;
      narrow.count += piece.count;
      if (piece.longestPs > narrow.longestPs) {
        narrow.label = piece.label;
        narrow.longestPs = piece.longestPs;
      }
    } else {
      result.push((narrow = piece));
    }
  }
  return result;
}

function isNarrow(piece: Piece, pixelPs: number): boolean {
  return piece.count > 1 || piece.endPs - piece.startPs < pixelPs;
}

function packed(pieces: readonly Piece[], pixelPs: number): LaneTile[] {
  const ends: number[] = [];
  const lanes: Piece[][] = [];
  for (const piece of pieces) {
    let lane = ends.findIndex((endPs) => endPs <= piece.startPs);
    if (lane < 0) lane = ends.push(0) - 1;
    // Shared pixels end with the pixel: the next one has the rest.
    const pixelEndPs = (Math.floor(piece.startPs / pixelPs) + 1) * pixelPs;
    ends[lane] = isNarrow(piece, pixelPs) ? Math.min(piece.endPs, pixelEndPs) : piece.endPs;
    (lanes[lane] ??= []).push(piece);
  }
  return lanes.map(columnsOf);
}

function columnsOf(pieces: readonly Piece[], lane: number): LaneTile {
  const floats = (read: (piece: Piece) => number) => Float64Array.from(pieces, read);
  const whole = (read: (piece: Piece) => number) => Uint32Array.from(pieces, read);
  return {
    lane,
    glyphCount: pieces.length,
    startPs: floats((piece) => piece.startPs),
    durationPs: floats((piece) => piece.endPs - piece.startPs),
    busyPs: floats((piece) => piece.busyPs),
    index: whole((piece) => piece.index),
    count: whole((piece) => piece.count),
    label: whole((piece) => piece.label),
    sources: { tracks: whole((piece) => piece.track), lanes: whole((piece) => piece.lane) },
  };
}
