/**
 * The tiles of a report, which the timeline requests as it does from a server. Tiles of complete
 * tracks are built here. For other tracks, the finest stored tile around the requested range of time
 * is cut to that range. A finer tile is missing if it would show nothing more, or for lack of room.
 */
import { decodeTile, type LaneTile, type Tile, type TrackTile } from '../timeline/tile';
import { ancestorIndex, TILE_PX, tileIndexAt } from '../timeline/tile-grid';
import type { ShareTileGroup } from '../wire/generated/ShareTileGroup';
import type { ShareTrack } from '../wire/generated/ShareTrack';
import { decodeColumns, firstAt, tileOf, type TrackColumns } from './columns';
import { unpacked } from './packed';

const MAGIC = 0x31545353;
const HEADER_BYTES = 32;
const TRACK_BYTES = 16;
const LANE_BYTES = 8;
const GLYPH_BYTES = 36;
const SAMPLE_BYTES = 24;

/** How many decoded tiles are kept. */
const KEPT = 64;
/** The coarsest level. */
const MAX_LEVEL = 52;

/** A slice that has its own glyph in a tile. */
export interface LoneSlice {
  label: number;
  startPs: number;
  durationPs: number;
}

export class TileStore {
  /** Least recently used first. */
  private readonly kept = new Map<string, Promise<Tile>>();
  private readonly decoded = new Map<string, Tile>();

  /** Complete tracks that have been requested. */
  private readonly whole = new Map<number, Promise<TrackColumns>>();
  private readonly columns = new Map<number, TrackColumns>();
  private readonly packed: ReadonlyMap<number, string>;

  constructor(
    private readonly groups: readonly ShareTileGroup[],
    tracks: readonly ShareTrack[] = [],
  ) {
    this.packed = new Map(tracks.map(({ track, columns }) => [track, columns]));
  }

  /** The tile of some tracks between two times, as bytes. */
  async tile(startPs: number, endPs: number, tracks: readonly number[]): Promise<ArrayBuffer> {
    const level = Math.max(0, Math.round(Math.log2((endPs - startPs) / TILE_PX)));
    const index = tileIndexAt(level, startPs);
    const wanted = new Set(tracks);
    const found: TrackTile[] = [];
    await Promise.all(
      tracks.map(async (track) => {
        const columns = await this.columnsOf(track);
        if (columns) found.push(tileOf(track, columns, startPs, endPs, TILE_PX));
      }),
    );
    for (const [number, group] of this.groups.entries()) {
      if (!group.tracks.some((track) => wanted.has(track))) continue;
      const tile = await this.around(number, group, level, index);
      for (const track of tile?.tracks ?? []) {
        if (wanted.has(track.track)) found.push(cut(track, startPs, endPs));
      }
    }
    // Tracks that the report lacks are sent empty, so that they are not requested again.
    for (const { track } of found) wanted.delete(track);
    for (const track of wanted) found.push({ track, lanes: [], counter: null, byteLength: 0 });
    return encodeTile({ startPs, endPs, widthPx: TILE_PX, tracks: found });
  }

  /** A slice, if its track is complete or if it has its own glyph in a decoded tile. */
  lone(track: number, lane: number, index: number): LoneSlice | undefined {
    const whole = this.columns.get(track)?.lanes[lane];
    if (whole && index < whole.label.length) {
      return {
        label: whole.label[index]!,
        startPs: whole.startPs[index]!,
        durationPs: whole.durationPs[index]!,
      };
    }
    for (const tile of this.decoded.values()) {
      const found = tile.tracks.find((each) => each.track === track)?.lanes[lane];
      const at = found ? found.index.findIndex((first) => first === index) : -1;
      if (found && at >= 0 && found.count[at] === 1) {
        return {
          label: found.label[at]!,
          startPs: found.startPs[at]!,
          durationPs: found.durationPs[at]!,
        };
      }
    }
    return undefined;
  }

  /** The slices of a track, if the report contains the complete track. */
  private columnsOf(track: number): Promise<TrackColumns> | undefined {
    const text = this.packed.get(track);
    if (text === undefined) return undefined;
    const known = this.whole.get(track);
    if (known) return known;
    const columns = unpacked(text).then(decodeColumns);
    this.whole.set(track, columns);
    void columns.then((each) => this.columns.set(track, each));
    return columns;
  }

  /** The finest stored tile that contains this one. */
  private async around(
    number: number,
    group: ShareTileGroup,
    level: number,
    index: number,
  ): Promise<Tile | undefined> {
    for (let up = 0; level + up <= MAX_LEVEL; up++) {
      const key = `${level + up}/${ancestorIndex(index, up)}`;
      const text = group.tiles[key];
      if (text !== undefined) return this.load(`${number}:${key}`, text);
    }
    return undefined;
  }

  private load(key: string, text: string): Promise<Tile> {
    const known = this.kept.get(key);
    this.kept.delete(key);
    const tile = known ?? unpacked(text).then(decodeTile);
    this.kept.set(key, tile);
    if (!known) void tile.then((each) => this.kept.has(key) && this.decoded.set(key, each));
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT) break;
      this.kept.delete(oldest);
      this.decoded.delete(oldest);
    }
    return tile;
  }
}

/** The part of a track that overlaps a range of time; for a counter, also the sample before it. */
export function cut(track: TrackTile, startPs: number, endPs: number): TrackTile {
  if (track.counter) {
    const { timePs, minimum, maximum } = track.counter;
    const first = Math.max(0, firstAt(timePs, startPs) - 1);
    const last = Math.max(first, firstAt(timePs, endPs));
    const counter = {
      sampleCount: last - first,
      timePs: timePs.subarray(first, last),
      minimum: minimum.subarray(first, last),
      maximum: maximum.subarray(first, last),
    };
    return { ...track, counter };
  }
  return { ...track, lanes: track.lanes.map((lane) => cutLane(lane, startPs, endPs)) };
}

/** Glyphs never overlap, so starts and ends are both sorted. */
function cutLane(lane: LaneTile, startPs: number, endPs: number): LaneTile {
  let first = firstAt(lane.startPs, startPs);
  const before = first - 1;
  if (before >= 0 && lane.startPs[before]! + lane.durationPs[before]! > startPs) first = before;
  const last = Math.max(first, firstAt(lane.startPs, endPs));
  return {
    lane: lane.lane,
    glyphCount: last - first,
    startPs: lane.startPs.subarray(first, last),
    durationPs: lane.durationPs.subarray(first, last),
    busyPs: lane.busyPs.subarray(first, last),
    index: lane.index.subarray(first, last),
    count: lane.count.subarray(first, last),
    label: lane.label.subarray(first, last),
  };
}

/** Encodes a tile as described in docs/internals/wire.md. */
export function encodeTile(tile: Omit<Tile, 'byteLength'>): ArrayBuffer {
  const buffer = new ArrayBuffer(
    HEADER_BYTES + tile.tracks.reduce((sum, track) => sum + trackBytes(track), 0),
  );
  const view = new DataView(buffer);
  let offset = 0;
  const u32 = (value: number) => {
    view.setUint32(offset, value, true);
    offset += 4;
  };
  const f64 = (value: number) => {
    view.setFloat64(offset, value, true);
    offset += 8;
  };
  u32(MAGIC);
  u32(tile.tracks.length);
  f64(tile.startPs);
  f64(tile.endPs);
  f64(tile.widthPx);
  for (const track of tile.tracks) {
    // The decoder leaves holes for lanes that the tile does not contain.
    const lanes = track.lanes.filter(Boolean);
    u32(track.track);
    u32(track.counter ? 1 : 0);
    u32(track.counter ? 1 : lanes.length);
    u32(0);
    if (track.counter) {
      u32(0);
      u32(track.counter.sampleCount);
      track.counter.timePs.forEach(f64);
      track.counter.minimum.forEach(f64);
      track.counter.maximum.forEach(f64);
      continue;
    }
    for (const lane of lanes) {
      u32(lane.lane);
      u32(lane.glyphCount);
      lane.startPs.forEach(f64);
      lane.durationPs.forEach(f64);
      lane.busyPs.forEach(f64);
      lane.index.forEach(u32);
      lane.count.forEach(u32);
      lane.label.forEach(u32);
      if (lane.glyphCount % 2 === 1) u32(0);
    }
  }
  return buffer;
}

function trackBytes(track: TrackTile): number {
  if (track.counter) return TRACK_BYTES + LANE_BYTES + SAMPLE_BYTES * track.counter.sampleCount;
  const lanes = track.lanes.filter(Boolean);
  const padding = (lane: LaneTile) => (lane.glyphCount % 2) * 4;
  return lanes.reduce(
    (sum, lane) => sum + LANE_BYTES + GLYPH_BYTES * lane.glyphCount + padding(lane),
    TRACK_BYTES,
  );
}
