/**
 * Slices as pixels. Each lane on the screen is a strip six pixels high that is written to plain
 * memory and stretched to the lane's height by the canvas. The cost of a frame thus depends on the
 * pixels of the screen, not on the number of slices, and the canvas never changes its fill color.
 *
 *   ┌──────────────────────────┐
 *   │ color of the class       │   paler where merged slices leave gaps
 *   │▂▂▃▃▂▁▁▁▅▅▃▂              │   a foot where slices are merged: the log of how many
 *   └──────────────────────────┘
 */
import type { LabelTable } from './labels';
import { DENSITIES, type Palette } from './palette';
import { firstGlyphAt, type Segment } from './segments';
import { SharedPixels } from './shared-pixels';
import type { LaneTile } from './tile';

/** Pixel rows of a strip. */
export const STRIP_ROWS = 6;

/** Slices narrower than this many device pixels share their pixel with others. */
const NARROW_PX = 1.5;
/** Slices at least this wide are offered for a label. */
const LABEL_PX = 24;
const FULL = DENSITIES - 1;
/** The count of a slice in a summary, which has no foot. */
const SUMMED = 1e-6;
/** The numbers of merged slices at which the foot grows by a row. */
const COUNT_STEPS = [2, 8, 64, 512, 4096];

/** Maps times to device pixels. */
export interface Projection {
  /** Time at the left edge. */
  originPs: number;
  /** Device pixels per picosecond. */
  scale: number;
  /** Width in device pixels. */
  width: number;
}

/** Receives slices wide enough for a label, in device pixels. */
export interface LabelSink {
  /** `ink` is the color of the text: 0 white, 1 dark, 2 muted. */
  add(lane: number, label: number, ink: number, startPx: number, endPx: number): void;
  addInstant(lane: number, slot: number, px: number): void;
}

/** The strips of one frame, as memory. */
export class StripPixels {
  pixels = new Uint32Array(0);
  width = 0;
  /** Glyphs processed since `begin`. */
  glyphCount = 0;
  protected laneCapacity = 0;
  private shared = new SharedPixels(0);

  /** Prepares empty memory for a frame; true if it was newly allocated. */
  begin(width: number, laneCount: number): boolean {
    this.glyphCount = 0;
    if (width === this.width && laneCount <= this.laneCapacity) {
      this.pixels.fill(0, 0, width * laneCount * STRIP_ROWS);
      return false;
    }
    this.width = width;
    this.laneCapacity = Math.max(laneCount + 8, this.laneCapacity);
    this.pixels = new Uint32Array(width * this.laneCapacity * STRIP_ROWS);
    this.shared = new SharedPixels(width);
    return true;
  }

  /** Writes one lane of a track over all segments. */
  lane(
    strip: number,
    lane: number,
    segments: readonly Segment[],
    projection: Projection,
    palette: Palette,
    labels: LabelTable,
    isSearching: boolean,
    sink: LabelSink,
  ): void {
    const endPs = projection.originPs + projection.width / projection.scale;
    let isFirst = true;
    for (let i = 0; i < segments.length; i++) {
      const segment = segments[i]!;
      const columns = segment.tile?.lanes[lane];
      const fromPs = Math.max(segment.startPs, projection.originPs);
      const toPs = Math.min(segment.endPs, endPs);
      if (columns && toPs > fromPs) {
        this.segment(
          strip,
          columns,
          fromPs,
          toPs,
          isFirst,
          projection,
          palette,
          labels,
          isSearching,
          sink,
        );
      }
      isFirst = false;
    }
    this.finish(strip, palette, isSearching);
  }

  /**
   * Writes what several tracks do as one strip: in each pixel the color that takes most time, paler
   * where less runs. Slices count without those within them, so that waits are not hidden by steps
   * and functions around them.
   */
  summary(
    strip: number,
    tracks: readonly (readonly Segment[])[],
    projection: Projection,
    palette: Palette,
    labels: LabelTable,
    isSearching: boolean,
  ): void {
    for (const segments of tracks) {
      const depth = Math.max(0, ...segments.map(({ tile }) => tile?.lanes.length ?? 0));
      this.shared.firstLane();
      for (let lane = depth - 1; lane >= 0; lane--) {
        this.shared.nextLane();
        this.summedLane(lane, segments, projection, labels, isSearching);
      }
    }
    this.shared.firstLane();
    this.finish(strip, palette, isSearching);
  }

  private summedLane(
    lane: number,
    segments: readonly Segment[],
    { originPs, scale, width }: Projection,
    labels: LabelTable,
    isSearching: boolean,
  ): void {
    const endPs = originPs + width / scale;
    for (const { tile, ...segment } of segments) {
      const columns = tile?.lanes[lane];
      const fromPs = Math.max(segment.startPs, originPs);
      const toPs = Math.min(segment.endPs, endPs);
      if (!columns || toPs <= fromPs) continue;
      const { startPs, durationPs, busyPs, label, glyphCount } = columns;
      for (let i = firstGlyphAt(startPs, fromPs); i < glyphCount && startPs[i]! < toPs; i++) {
        const start = startPs[i]!;
        const end = start + durationPs[i]!;
        if (end <= fromPs && start < fromPs) continue;
        const x0 = (Math.max(start, fromPs) - originPs) * scale;
        const x1 = (Math.min(end, toPs) - originPs) * scale;
        const meanPs = busyPs[i]! / columns.count[i]!;
        const match = isSearching ? labels.matchOf(label[i]!, start, meanPs) : 1;
        const slot = labels.glyphSlot
          ? labels.glyphSlot(start, meanPs)
          : labels.slot[label[i]!]!;
        const wholePx = (end - start) * scale;
        this.shared.merge(x0, x1, busyPs[i]! * scale, wholePx, SUMMED, slot, match);
      }
    }
  }

  private segment(
    strip: number,
    columns: LaneTile,
    fromPs: number,
    toPs: number,
    isFirst: boolean,
    projection: Projection,
    palette: Palette,
    labels: LabelTable,
    isSearching: boolean,
    sink: LabelSink,
  ): void {
    const { startPs, durationPs, busyPs, count, label, glyphCount } = columns;
    const { originPs, scale } = projection;
    const slots = labels.slot;
    const { matches, glyphSlot, isGlyphShown } = labels;
    let i = firstGlyphAt(startPs, fromPs);
    for (; i < glyphCount; i++) {
      const start = startPs[i]!;
      if (start >= toPs) break;
      const end = start + durationPs[i]!;
      if (end < fromPs || (end === fromPs && start < fromPs)) continue;
      this.glyphCount++;
      const x0 = ((start > fromPs ? start : fromPs) - originPs) * scale;
      const x1 = ((end < toPs ? end : toPs) - originPs) * scale;
      const id = label[i]!;
      const slices = count[i]!;
      const slot = glyphSlot ? glyphSlot(start, busyPs[i]! / slices) : slots[id]!;
      let match = isSearching ? matches[id]! : 1;
      if (isGlyphShown && match === 1 && !isGlyphShown(start, busyPs[i]! / slices)) match = 0;
      if (slices === 1 && x1 - x0 >= NARROW_PX) {
        const from = x0 | 0;
        // Leave a pixel between neighbors, unless the slice continues in the next segment.
        const isWhole = end <= toPs && x1 - x0 >= 4;
        const to = Math.max(from + 1, (x1 | 0) - (isWhole ? 1 : 0));
        const colors = match === 1 ? palette.body : palette.dimmed;
        this.fill(strip, from, to, colors[slot * DENSITIES + FULL]!);
        this.shared.addEnds(x0, x1, slot, match);
        if (isFirst || start >= fromPs) {
          const ink = match === 1 ? palette.darkText[slot]! : 2;
          const endPx = (end - originPs) * scale;
          if (endPx - x0 >= LABEL_PX) sink.add(strip, id, ink, x0, endPx);
        }
      } else {
        if (slices === 1 && end === start && match === 1) sink.addInstant(strip, slot, x0);
        const wholePx = (end - start) * scale;
        this.shared.merge(x0, x1, busyPs[i]! * scale, wholePx, slices, slot, match);
      }
    }
  }

  /** Writes the shared pixels of a lane. */
  private finish(strip: number, palette: Palette, isSearching: boolean): void {
    const { width, pixels, shared } = this;
    const top = strip * STRIP_ROWS * width;
    for (let x = shared.from; x < shared.to; x++) {
      const slices = shared.count[x]!;
      if (slices === 0) continue;
      const slot = shared.slot[x]!;
      const isDim = isSearching && shared.isMatch[x] === 0;
      const density = Math.min(FULL, (shared.busy[x]! * DENSITIES) | 0);
      const body = (isDim ? palette.dimmed : palette.body)[slot * DENSITIES + density]!;
      const foot = (isDim ? palette.dimmedCount : palette.count)[slot]!;
      const footRows = footRowsOf(slices);
      let at = top + x;
      for (let row = STRIP_ROWS; row > 0; row--, at += width) {
        pixels[at] = row <= footRows ? foot : body;
      }
    }
    shared.reset();
  }

  private fill(strip: number, from: number, to: number, color: number): void {
    const { width, pixels } = this;
    const begin = Math.max(0, from);
    const end = Math.min(width, to);
    if (end <= begin) return;
    let at = strip * STRIP_ROWS * width;
    for (let row = 0; row < STRIP_ROWS; row++, at += width) {
      if (end - begin < 8) {
        for (let x = begin; x < end; x++) pixels[at + x] = color;
      } else {
        pixels.fill(color, at + begin, at + end);
      }
    }
  }
}

/** Rows of the foot for a number of slices in one pixel. */
export function footRowsOf(slices: number): number {
  let rows = 0;
  while (rows < COUNT_STEPS.length && slices >= COUNT_STEPS[rows]!) rows++;
  return rows;
}
