/**
 * Which tile is drawn where: divides the visible time of each track into segments, each with the
 * exact tile or the best loaded substitute. Merged tracks are composed from those of their members.
 * Kept between frames until tiles or the grid change.
 */
import { LAID_TRACK, type LaidTrack } from './laid';
import { composed, type Member } from './merged-track';
import type { Segment } from './segments';
import type { TrackTile } from './tile';
import type { TileCache } from './tile-cache';
import { lastTileIndex, levelForResolution, TILE_PX, tileIndexAt, tileSpanPs } from './tile-grid';
import type { TimeWindow } from './viewport';

/** Beyond this many levels up, two finer tiles are preferred to a coarser one. */
const COARSE_LIMIT = 2;

/**
 * Merged tracks composed in one frame. A composition takes milliseconds: with many devices, the frame
 * in which their tiles change would be felt.
 */
const MOST_COMPOSED = 2;

/** Segments by track for the current window. */
export class DrawPlan {
  level = 0;
  firstIndex = 0;
  lastIndex = -1;
  /** Whether a merged track shows what it was before: the next frames compose it. */
  isBehind = false;
  private composedCount = 0;
  private generation = -1;
  private laid: LaidTrack | null = null;
  private readonly byTrack = new Map<number, Segment[]>();
  /** The last composition of each merged track. */
  private readonly composed = new Map<number, { parts: Member[]; segments: Segment[] }>();

  constructor(
    private readonly cache: TileCache,
    private readonly rootLevel: number,
    /** The members of merged tracks. */
    private readonly members: ReadonlyMap<number, readonly number[]> = new Map(),
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
    this.isBehind = false;
    this.composedCount = 0;
    return isMoved;
  }

  /** Adopts the track that the page laid over those of the session. */
  lay(laid: LaidTrack | null): void {
    this.laid = laid;
    this.byTrack.delete(LAID_TRACK);
  }

  segments(track: number): readonly Segment[] {
    let segments = this.byTrack.get(track);
    if (!segments) {
      const members = this.members.get(track);
      const found = members ? this.compose(track, members) : this.resolve(track);
      // What it showed before, until a later frame composes it.
      if (!found) return this.composed.get(track)?.segments ?? [];
      segments = found;
      this.byTrack.set(track, segments);
    }
    return segments;
  }

  /** Composes again only if a tile of a member has changed; null if this frame has composed enough. */
  private compose(track: number, members: readonly number[]): Segment[] | null {
    const parts = members.map((member) => ({ track: member, segments: this.segments(member) }));
    const before = this.composed.get(track);
    if (before && sameTiles(before.parts, parts)) return before.segments;
    if (this.composedCount >= MOST_COMPOSED) {
      this.isBehind = true;
      return null;
    }
    this.composedCount++;
    const whole = composed(parts, tileSpanPs(this.level) / TILE_PX);
    const segments = whole ? [whole] : [];
    this.composed.set(track, { parts, segments });
    return segments;
  }

  private resolve(track: number): Segment[] {
    const { laid, level, firstIndex, lastIndex } = this;
    if (track === LAID_TRACK) return laid?.segments(level, firstIndex, lastIndex) ?? [];
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

function sameTiles(one: readonly Member[], other: readonly Member[]): boolean {
  const same = (a: Segment, b: Segment | undefined) =>
    a.tile === b?.tile && a.startPs === b.startPs && a.endPs === b.endPs;
  return one.every(({ segments }, i) => {
    const others = other[i]!.segments;
    return segments.length === others.length && segments.every((part, j) => same(part, others[j]));
  });
}
