/**
 * Decodes binary timeline tiles (docs/internals/wire.md) into typed-array views over the response's
 * buffer. Nothing is copied if sections are aligned, which the format guarantees for a complete response.
 */

const MAGIC = 0x31545353;
const HEADER_BYTES = 32;
const TRACK_HEADER_BYTES = 16;
const LANE_HEADER_BYTES = 8;
const KIND_COUNTER = 1;

/** Glyphs of one lane in time order: lone slices and merged neighbors, as columns. */
export interface LaneTile {
  lane: number;
  glyphCount: number;
  startPs: Float64Array;
  /** From the first start to the last end. */
  durationPs: Float64Array;
  /** Sum of the durations inside. */
  busyPs: Float64Array;
  /** Index of the first slice within the lane. */
  index: Uint32Array;
  /** Slices inside; 1 for a lone slice. */
  count: Uint32Array;
  /** Label of the longest slice inside. */
  label: Uint32Array;
  /** On a merged track: the track and the lane that each glyph is from. */
  sources?: { tracks: Uint32Array; lanes: Uint32Array };
}

/** Samples of a counter: the minimum and maximum of each pixel. */
export interface CounterTile {
  sampleCount: number;
  timePs: Float64Array;
  minimum: Float64Array;
  maximum: Float64Array;
}

/** One track of a tile. */
export interface TrackTile {
  track: number;
  /** By flat lane index; empty for counters. */
  lanes: LaneTile[];
  counter: CounterTile | null;
  byteLength: number;
}

/** One decoded response. */
export interface Tile {
  startPs: number;
  endPs: number;
  widthPx: number;
  tracks: TrackTile[];
  byteLength: number;
}

/** A response that is not a valid tile. */
export class TileError extends Error {
  override name = 'TileError';
}

/** Decodes one response; throws `TileError` with a message if it is not a complete tile. */
export function decodeTile(buffer: ArrayBuffer): Tile {
  const reader = new Reader(buffer);
  reader.need(HEADER_BYTES, 'the header');
  const magic = reader.u32();
  if (magic !== MAGIC) {
    throw new TileError(`not a timeline tile: it starts with 0x${magic.toString(16)}`);
  }
  const trackCount = reader.u32();
  const startPs = reader.f64();
  const endPs = reader.f64();
  const widthPx = reader.f64();
  const tracks: TrackTile[] = [];
  for (let i = 0; i < trackCount; i++) tracks.push(decodeTrack(reader));
  return { startPs, endPs, widthPx, tracks, byteLength: buffer.byteLength };
}

function decodeTrack(reader: Reader): TrackTile {
  const begin = reader.offset;
  reader.need(TRACK_HEADER_BYTES, 'a track');
  const track = reader.u32();
  const kind = reader.u32();
  const laneCount = reader.u32();
  reader.u32();
  if (kind === KIND_COUNTER) {
    const counter = decodeCounter(reader);
    return { track, lanes: [], counter, byteLength: reader.offset - begin };
  }
  const lanes: LaneTile[] = [];
  for (let i = 0; i < laneCount; i++) {
    const lane = decodeLane(reader);
    lanes[lane.lane] = lane;
  }
  return { track, lanes, counter: null, byteLength: reader.offset - begin };
}

function decodeLane(reader: Reader): LaneTile {
  reader.need(LANE_HEADER_BYTES, 'a lane');
  const lane = reader.u32();
  const glyphCount = reader.u32();
  if (lane > 0xffffff) throw new TileError(`invalid lane number in the tile: ${lane}`);
  reader.need(36 * glyphCount + (glyphCount % 2) * 4, `${glyphCount} glyphs`);
  const result = {
    lane,
    glyphCount,
    startPs: reader.f64s(glyphCount),
    durationPs: reader.f64s(glyphCount),
    busyPs: reader.f64s(glyphCount),
    index: reader.u32s(glyphCount),
    count: reader.u32s(glyphCount),
    label: reader.u32s(glyphCount),
  };
  reader.align();
  return result;
}

function decodeCounter(reader: Reader): CounterTile {
  reader.need(LANE_HEADER_BYTES, 'a counter');
  reader.u32();
  const sampleCount = reader.u32();
  reader.need(24 * sampleCount, `${sampleCount} samples`);
  return {
    sampleCount,
    timePs: reader.f64s(sampleCount),
    minimum: reader.f64s(sampleCount),
    maximum: reader.f64s(sampleCount),
  };
}

/** A position in a buffer; callers check with `need` before they read. */
class Reader {
  offset = 0;
  private readonly view: DataView;

  constructor(private readonly buffer: ArrayBuffer) {
    this.view = new DataView(buffer);
  }

  need(bytes: number, what: string): void {
    const left = this.buffer.byteLength - this.offset;
    if (bytes > left) {
      throw new TileError(
        `the tile ends early: ${what} needs ${bytes} bytes at ${this.offset}, ${left} are left`,
      );
    }
  }

  u32(): number {
    const value = this.view.getUint32(this.offset, true);
    this.offset += 4;
    return value;
  }

  f64(): number {
    const value = this.view.getFloat64(this.offset, true);
    this.offset += 8;
    return value;
  }

  f64s(count: number): Float64Array {
    const begin = this.offset;
    this.offset += 8 * count;
    if (begin % 8 === 0) return new Float64Array(this.buffer, begin, count);
    return new Float64Array(this.buffer.slice(begin, this.offset));
  }

  u32s(count: number): Uint32Array {
    const begin = this.offset;
    this.offset += 4 * count;
    if (begin % 4 === 0) return new Uint32Array(this.buffer, begin, count);
    return new Uint32Array(this.buffer.slice(begin, this.offset));
  }

  align(): void {
    this.offset = (this.offset + 7) & ~7;
  }
}
