/**
 * Pixels that several slices share: which color takes most time in each, how much of it is busy, and
 * how many slices it has.
 */
import { CLASS_NAMES, SLOT_COUNT, TINTS } from './palette';

/** Colors that compete for a pixel: the tints of a class are one. */
const RIVALS = SLOT_COUNT - CLASS_NAMES.length * (TINTS - 1);

const rivals = Uint8Array.from({ length: SLOT_COUNT }, (_, slot) => {
  const tinted = CLASS_NAMES.length * TINTS;
  return slot > tinted ? slot - tinted + CLASS_NAMES.length : Math.ceil(slot / TINTS);
});

/** One row of pixels, from which a strip is written. */
export class SharedPixels {
  /** By pixel: share that is busy, number of slices, color slot, whether it matches the search. */
  readonly busy: Float32Array;
  readonly count: Float32Array;
  readonly slot: Uint8Array;
  readonly isMatch: Uint8Array;
  from: number;
  to = 0;
  private readonly best: Float32Array;
  /** Time by pixel and color, and which of these are not zero. */
  private readonly time: Float32Array;
  private readonly timed: Uint32Array;
  private timedCount = 0;
  /** In a summary: what the lane below takes of each pixel, and what this one does. */
  private below: Float32Array;
  private own: Float32Array;

  constructor(readonly width: number) {
    this.from = width;
    this.busy = new Float32Array(width);
    this.count = new Float32Array(width);
    this.slot = new Uint8Array(width);
    this.isMatch = new Uint8Array(width);
    this.best = new Float32Array(width);
    this.time = new Float32Array(width * RIVALS);
    this.timed = new Uint32Array(width * RIVALS);
    this.below = new Float32Array(width);
    this.own = new Float32Array(width);
  }

  /** Adds slices between two pixels, of which `busyPx` in total are busy. */
  merge(
    x0: number,
    x1: number,
    busyPx: number,
    wholePx: number,
    slices: number,
    slot: number,
    match: number,
  ): void {
    const from = Math.max(0, x0 | 0);
    const to = Math.min(this.width, Math.max(from + 1, Math.round(x1)));
    if (from >= this.width || to <= 0) return;
    // Only the part of the glyph inside the segment counts.
    const share = Math.min(1, (x1 - x0) / Math.max(wholePx, 1e-9)) / (to - from);
    const busyEach = wholePx > 1e-6 ? busyPx * share : 0;
    const slicesEach = slices > 1 ? Math.max(slices * share, 2) : slices;
    for (let x = from; x < to; x++) this.add(x, busyEach, slicesEach, slot, match);
  }

  /** Adds the ends of a lone slice, which fills the pixels between; alone, they are not drawn. */
  addEnds(x0: number, x1: number, slot: number, match: number): void {
    const [first, last] = [x0 | 0, x1 | 0];
    if (first >= 0 && first < this.width) this.add(first, first + 1 - x0, 0, slot, match);
    if (last < this.width && x1 > last) this.add(last, x1 - last, 0, slot, match);
  }

  private add(x: number, busyPx: number, slices: number, slot: number, match: number): void {
    this.own[x]! += busyPx;
    const within = Math.min(this.below[x]!, busyPx);
    this.below[x]! -= within;
    this.busy[x]! += busyPx - within;
    this.count[x]! += slices;
    const rival = rivals[slot]!;
    const at = x * RIVALS + rival;
    if (this.time[at] === 0) this.timed[this.timedCount++] = at;
    const time = (this.time[at]! += busyPx - within + 1e-9);
    // A match is shown even where something else takes more of the pixel.
    const isFirstMatch = match === 1 && this.isMatch[x] === 0;
    if (isFirstMatch || (time > this.best[x]! && match === this.isMatch[x])) {
      if (isFirstMatch || rivals[this.slot[x]!] !== rival) this.slot[x] = slot;
      this.best[x] = time;
      this.isMatch[x] = match;
    }
    if (x < this.from) this.from = x;
    if (x >= this.to) this.to = x + 1;
  }

  /** Before each lane of a nest, innermost first: the next one leaves out what the last one did. */
  nextLane(): void {
    [this.below, this.own] = [this.own, this.below];
    this.own.fill(0);
  }

  /** Before the lanes of a nest: nothing is below, so all of a slice counts. */
  firstLane(): void {
    this.below.fill(0);
    this.own.fill(0);
  }

  /** Empties the pixels. */
  reset(): void {
    const { from, to } = this;
    for (const each of [this.busy, this.count, this.best, this.slot, this.isMatch]) each.fill(0, from, to);
    for (let i = 0; i < this.timedCount; i++) this.time[this.timed[i]!] = 0;
    this.timedCount = 0;
    this.from = this.width;
    this.to = 0;
  }
}
