/**
 * Complete tracks of a report: decodes every slice, as `crates/export/src/html/columns.rs` writes
 * them, and builds the tiles that a server would send.
 */
import type { CounterTile, LaneTile, TrackTile } from '../timeline/tile';

const KIND_SAMPLES = 1;

/** The slices of a lane, by start; they do not overlap. */
export interface LaneColumns {
  startPs: Float64Array;
  durationPs: Float64Array;
  label: Uint32Array;
}

/** Samples of a counter, by time. */
export interface SampleColumns {
  timePs: Float64Array;
  value: Float64Array;
}

export interface TrackColumns {
  lanes: LaneColumns[];
  samples: SampleColumns | null;
}

/** Decodes the columns of one track. */
export function decodeColumns(buffer: ArrayBuffer): TrackColumns {
  const reader = new Reader(buffer);
  if (reader.number() === KIND_SAMPLES) return { lanes: [], samples: decodeSamples(reader) };
  const lanes: LaneColumns[] = [];
  const count = reader.number();
  for (let i = 0; i < count; i++) lanes.push(decodeLane(reader));
  return { lanes, samples: null };
}

function decodeLane(reader: Reader): LaneColumns {
  const count = reader.number();
  const unit = reader.number();
  const lane: LaneColumns = {
    startPs: new Float64Array(count),
    durationPs: new Float64Array(count),
    label: new Uint32Array(count),
  };
  if (count === 0) return lane;
  const { startPs, durationPs, label } = lane;
  startPs[0] = reader.signed();
  // Gaps at first; they become starts once the durations are known.
  for (let i = 1; i < count; i++) startPs[i] = reader.number() * unit;
  for (let i = 0; i < count; i++) durationPs[i] = reader.number() * unit;
  for (let i = 1; i < count; i++) startPs[i]! += startPs[i - 1]! + durationPs[i - 1]!;
  for (let i = 0; i < count; i++) label[i] = reader.number();
  return lane;
}

function decodeSamples(reader: Reader): SampleColumns {
  const count = reader.number();
  const timePs = new Float64Array(count);
  const value = new Float64Array(count);
  if (count > 0) timePs[0] = reader.signed();
  for (let i = 1; i < count; i++) timePs[i] = timePs[i - 1]! + reader.number();
  for (let i = 0; i < count; i++) value[i] = reader.f64();
  return { timePs, value };
}

/** Reads numbers from a buffer, one after another. */
class Reader {
  private offset = 0;
  private readonly bytes: Uint8Array;
  private readonly view: DataView;

  constructor(buffer: ArrayBuffer) {
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
  }

  /** An unsigned LEB128 number, exact below 2^53. */
  number(): number {
    let value = 0;
    let weight = 1;
    for (;;) {
      const byte = this.bytes[this.offset++];
      if (byte === undefined) throw new RangeError('the columns of a track end early');
      value += (byte & 0x7f) * weight;
      if (byte < 0x80) return value;
      weight *= 128;
    }
  }

  /** Zigzag: 0, −1, 1, −2, … */
  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  f64(): number {
    const value = this.view.getFloat64(this.offset, true);
    this.offset += 8;
    return value;
  }
}

/**
 * What a server sends for a track in a window: per lane and pixel, one glyph for all slices narrower
 * than a pixel that begin in it, and one for a wider slice that may follow them.
 */
export function tileOf(
  track: number,
  columns: TrackColumns,
  startPs: number,
  endPs: number,
  widthPx: number,
): TrackTile {
  const grid = { startPs, endPs, pixelPs: (endPs - startPs) / widthPx };
  if (columns.samples) {
    return { track, lanes: [], counter: counterTile(columns.samples, grid), byteLength: 0 };
  }
  const lanes = columns.lanes.map((lane, number) => laneTile(number, lane, grid));
  return { track, lanes, counter: null, byteLength: 0 };
}

interface Grid {
  startPs: number;
  endPs: number;
  pixelPs: number;
}

/** The end of the pixel that contains an instant. */
function endOfPixel(grid: Grid, timePs: number): number {
  return grid.startPs + (Math.floor((timePs - grid.startPs) / grid.pixelPs) + 1) * grid.pixelPs;
}

function laneTile(number: number, lane: LaneColumns, grid: Grid): LaneTile {
  const { startPs, durationPs } = lane;
  const glyphs = new Glyphs(lane);
  const end = firstAt(startPs, grid.endPs);
  let first = firstAt(startPs, grid.startPs);
  const before = first - 1;
  if (before >= 0 && startPs[before]! + durationPs[before]! > grid.startPs) {
    glyphs.push(before, before + 1);
  }
  while (first < end) {
    const edgePs = endOfPixel(grid, startPs[first]!);
    let next = first + 1;
    while (next < end && startPs[next]! < edgePs) next++;
    // A slice at least a pixel wide reaches the next pixel, so only the last can be that wide.
    const isLastWide = durationPs[next - 1]! >= grid.pixelPs;
    const narrow = isLastWide ? next - 1 : next;
    if (narrow > first) glyphs.push(first, narrow);
    if (isLastWide) glyphs.push(next - 1, next);
    first = next;
  }
  return glyphs.told(number);
}

/** Collects the glyphs of a lane. */
class Glyphs {
  private readonly startPs: number[] = [];
  private readonly durationPs: number[] = [];
  private readonly busyPs: number[] = [];
  private readonly index: number[] = [];
  private readonly count: number[] = [];
  private readonly label: number[] = [];

  constructor(private readonly lane: LaneColumns) {}

  /** One glyph for the slices from `first` to before `end`. */
  push(first: number, end: number): void {
    const { startPs, durationPs, label } = this.lane;
    let busyPs = 0;
    let longest = first;
    for (let i = first; i < end; i++) {
      busyPs += durationPs[i]!;
      if (durationPs[i]! > durationPs[longest]!) longest = i;
    }
    this.startPs.push(startPs[first]!);
    this.durationPs.push(startPs[end - 1]! + durationPs[end - 1]! - startPs[first]!);
    this.busyPs.push(busyPs);
    this.index.push(first);
    this.count.push(end - first);
    this.label.push(label[longest]!);
  }

  told(lane: number): LaneTile {
    return {
      lane,
      glyphCount: this.startPs.length,
      startPs: Float64Array.from(this.startPs),
      durationPs: Float64Array.from(this.durationPs),
      busyPs: Float64Array.from(this.busyPs),
      index: Uint32Array.from(this.index),
      count: Uint32Array.from(this.count),
      label: Uint32Array.from(this.label),
    };
  }
}

/** The minimum and maximum of each pixel, preceded by the sample in effect when the window begins. */
function counterTile({ timePs, value }: SampleColumns, grid: Grid): CounterTile {
  const [times, minimum, maximum]: [number[], number[], number[]] = [[], [], []];
  const push = (first: number, end: number) => {
    const values = value.subarray(first, end);
    times.push(timePs[first]!);
    minimum.push(values.reduce((one, other) => Math.min(one, other), Infinity));
    maximum.push(values.reduce((one, other) => Math.max(one, other), -Infinity));
  };
  const end = firstAt(timePs, grid.endPs);
  let first = firstAt(timePs, grid.startPs);
  if (first > 0) push(first - 1, first);
  while (first < end) {
    const edgePs = endOfPixel(grid, timePs[first]!);
    let next = first + 1;
    while (next < end && timePs[next]! < edgePs) next++;
    push(first, next);
    first = next;
  }
  return {
    sampleCount: times.length,
    timePs: Float64Array.from(times),
    minimum: Float64Array.from(minimum),
    maximum: Float64Array.from(maximum),
  };
}

/** The position of the first time at or after an instant. */
export function firstAt(timesPs: Float64Array, instantPs: number): number {
  let low = 0;
  let high = timesPs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesPs[middle]! < instantPs) low = middle + 1;
    else high = middle;
  }
  return low;
}
