/**
 * Which tile is drawn where: divides the visible time of each track into segments, each with the
 * exact tile or the best loaded substitute. Kept between frames until tiles or the grid change.
 */
import type { TrackTile } from './tile';
import type { TileCache } from './tile-cache';
import { lastTileIndex, levelForResolution, tileIndexAt, tileSpanPs } from './tile-grid';
import type { TimeWindow } from './viewport';

/** A range of time of one track. */
export interface Segment {
  /** Null while no tile is loaded. */
  tile: TrackTile | null;
  startPs: number;
  endPs: number;
  /** Whether the tile has the resolution of the screen. */
  isExact: boolean;
}

/** Beyond this many levels up, two finer tiles are preferred to a coarser one. */
const COARSE_LIMIT = 2;

/** Segments by track for the current window. */
export class DrawPlan {
  level = 0;
  firstIndex = 0;
  lastIndex = -1;
  private generation = -1;
  private readonly byTrack = new Map<number, Segment[]>();

  constructor(
    private readonly cache: TileCache,
    private readonly rootLevel: number,
  ) {}

  /** Adopts a window; true when the tiles it needs differ from the ones before. */
  update(window: TimeWindow, psPerPx: number): boolean {
    const level = Math.min(levelForResolution(psPerPx), this.rootLevel);
    const first = tileIndexAt(level, window.startPs);
    const last = lastTileIndex(level, window.endPs);
    const isMoved = level !== this.level || first !== this.firstIndex || last !== this.lastIndex;
    if (isMoved || this.generation !== this.cache.generation) this.byTrack.clear();
    this.level = level;
    this.firstIndex = first;
    this.lastIndex = last;
    this.generation = this.cache.generation;
    return isMoved;
  }

  segments(track: number): readonly Segment[] {
    let segments = this.byTrack.get(track);
    if (!segments) {
      segments = this.resolve(track);
      this.byTrack.set(track, segments);
    }
    return segments;
  }

  private resolve(track: number): Segment[] {
    const segments: Segment[] = [];
    for (let index = this.firstIndex; index <= this.lastIndex; index++) {
      for (const segment of this.resolveTile(track, index)) {
        const before = segments.at(-1);
        // Neighbors that use the same coarser tile become one segment.
        if (before && segment.tile && before.tile === segment.tile) before.endPs = segment.endPs;
        else segments.push(segment);
      }
    }
    return segments;
  }

  private resolveTile(track: number, index: number): Segment[] {
    const { cache, level, rootLevel } = this;
    const span = tileSpanPs(level);
    const startPs = index * span;
    const whole = (tile: TrackTile | null, isExact: boolean): Segment[] => [
      { tile, startPs, endPs: startPs + span, isExact },
    ];
    const near = cache.find(track, level, index, Math.min(level + COARSE_LIMIT, rootLevel));
    if (near) return whole(near.tile, near.level === level);
    const left = level > 0 ? cache.get(track, level - 1, index * 2) : undefined;
    const right = level > 0 ? cache.get(track, level - 1, index * 2 + 1) : undefined;
    if (left && right) {
      const middlePs = startPs + span / 2;
      return [
        { tile: left, startPs, endPs: middlePs, isExact: false },
        { tile: right, startPs: middlePs, endPs: startPs + span, isExact: false },
      ];
    }
    return whole(cache.find(track, level, index, rootLevel)?.tile ?? null, false);
  }
}

/** First glyph that can reach the time: the last one to start before it, or the next. */
export function firstGlyphAt(startPs: Float64Array, timePs: number): number {
  let low = 0;
  let high = startPs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (startPs[middle]! < timePs) low = middle + 1;
    else high = middle;
  }
  return low > 0 ? low - 1 : 0;
}
