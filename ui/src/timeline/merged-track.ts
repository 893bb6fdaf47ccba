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
    counter_min: null,
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

/** A track with what is drawn of it. */
export interface Member {
  track: number;
  segments: readonly Segment[];
}

/** One glyph of a member, or several that share a pixel. */
interface Piece {
  startPs: number;
  endPs: number;
  busyPs: number;
  count: number;
  label: number;
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
  members: readonly Member[],
  pixelPs: number,
): Segment | null {
  const [first, last] = [members[0]?.segments[0], members[0]?.segments.at(-1)];
  if (!first || !last) return null;
  const all = members.flatMap((member) => member.segments);
  const isExact = all.every((segment) => segment.isExact);
  const isLoaded = all.some((segment) => segment.tile !== null);
  const pieces = isLoaded ? piecesOf(members, first.startPs, last.endPs, pixelPs) : [];
  const lanes = packed(pieces, pixelPs);
  const tile: TrackTile | null = isLoaded
    ? { track: FIRST_MERGED, lanes, counter: null, byteLength: 0 }
    : null;
  return { tile, startPs: first.startPs, endPs: last.endPs, isExact };
}

/** Slices of at least a pixel by start, outer ones first, and what the pixels between them share. */
function piecesOf(members: readonly Member[], startPs: number, endPs: number, pixelPs: number) {
  const pixels = new Pixels(startPs, Math.ceil((endPs - startPs) / pixelPs), pixelPs);
  const pieces: Piece[] = [];
  for (const { track, segments } of members) {
    segments.forEach((segment, position) => {
      segment.tile?.lanes.forEach((columns, lane) => {
        let i = firstGlyphAt(columns.startPs, segment.startPs);
        // A slice that reaches into this segment is in the one before.
        if (position > 0) while ((columns.startPs[i] ?? Infinity) < segment.startPs) i++;
        for (; i < columns.glyphCount && columns.startPs[i]! < segment.endPs; i++) {
          const isWide = columns.count[i] === 1 && columns.durationPs[i]! >= pixelPs;
          if (isWide) pieces.push(pieceOf(columns, i, track, lane));
          else pixels.add(columns, i, track, lane);
        }
      });
    });
  }
  pixels.collect(pieces);
  return pieces.sort((one, other) => one.startPs - other.startPs || other.endPs - one.endPs);
}

function pieceOf(columns: LaneTile, i: number, track: number, lane: number): Piece {
  const { startPs, durationPs, busyPs, count, label, index } = columns;
  return {
    startPs: startPs[i]!,
    endPs: startPs[i]! + durationPs[i]!,
    busyPs: busyPs[i]!,
    count: count[i]!,
    label: label[i]!,
    track,
    lane,
    index: index[i]!,
  };
}

/** What starts in each pixel and is narrower. There may be many: they are added up in place. */
class Pixels {
  private readonly pieces: (Piece | undefined)[];
  /** Time of the slice that gives the label, about. */
  private readonly longestPs: Float64Array;

  constructor(
    private readonly startPs: number,
    count: number,
    private readonly pixelPs: number,
  ) {
    this.pieces = new Array<Piece | undefined>(count).fill(undefined);
    this.longestPs = new Float64Array(count);
  }

  add(columns: LaneTile, i: number, track: number, lane: number): void {
    const start = columns.startPs[i]!;
    const pixel = Math.max(0, Math.floor((start - this.startPs) / this.pixelPs));
    const [busyPs, count] = [columns.busyPs[i]!, columns.count[i]!];
    const piece = this.pieces[pixel];
    if (!piece) {
      this.pieces[pixel] = pieceOf(columns, i, track, lane);
      this.longestPs[pixel] = busyPs / count;
      return;
    }
    if (start < piece.startPs) Object.assign(piece, { track, lane, index: columns.index[i]! });
    piece.startPs = Math.min(piece.startPs, start);
    piece.endPs = Math.max(piece.endPs, start + columns.durationPs[i]!);
    piece.busyPs += busyPs;
    piece.count += count;
    if (busyPs / count > this.longestPs[pixel]!) {
      this.longestPs[pixel] = busyPs / count;
      piece.label = columns.label[i]!;
    }
  }

  collect(into: Piece[]): void {
    for (const piece of this.pieces) if (piece) into.push(piece);
  }
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

/** Filled in one loop: `from` with a function takes several times as long, and this runs in a frame. */
function columnsOf(pieces: readonly Piece[], lane: number): LaneTile {
  const glyphCount = pieces.length;
  const [startPs, durationPs, busyPs] = floats(glyphCount);
  const [index, count, label] = wholes(glyphCount);
  const [tracks, lanes] = wholes(glyphCount);
  for (let i = 0; i < glyphCount; i++) {
    const piece = pieces[i]!;
    startPs[i] = piece.startPs;
    durationPs[i] = piece.endPs - piece.startPs;
    busyPs[i] = piece.busyPs;
    index[i] = piece.index;
    count[i] = piece.count;
    label[i] = piece.label;
    tracks[i] = piece.track;
    lanes[i] = piece.lane;
  }
  const sources = { tracks, lanes };
  return { lane, glyphCount, startPs, durationPs, busyPs, index, count, label, sources };
}

const floats = (length: number) =>
  [new Float64Array(length), new Float64Array(length), new Float64Array(length)] as const;

const wholes = (length: number) =>
  [new Uint32Array(length), new Uint32Array(length), new Uint32Array(length)] as const;
