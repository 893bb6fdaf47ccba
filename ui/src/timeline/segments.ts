/** Ranges of time with the tile to draw there. */
import type { LaneTile, TrackTile } from './tile';

/** A range of time of one track. */
export interface Segment {
  /** Null while no tile is loaded. */
  tile: TrackTile | null;
  startPs: number;
  endPs: number;
  /** Whether the tile has the resolution of the screen. */
  isExact: boolean;
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

/** Lanes with anything between two times; null while a tile is missing. */
export function depthOf(
  segments: readonly Segment[],
  startPs: number,
  endPs: number,
): number | null {
  let depth = 0;
  for (const segment of segments) {
    const fromPs = Math.max(startPs, segment.startPs);
    const toPs = Math.min(endPs, segment.endPs);
    if (toPs <= fromPs) continue;
    if (!segment.tile) return null;
    segment.tile.lanes.forEach((columns, lane) => {
      if (lane >= depth && reaches(columns, fromPs, toPs)) depth = lane + 1;
    });
  }
  return depth;
}

function reaches(columns: LaneTile, fromPs: number, toPs: number): boolean {
  const { startPs, durationPs, glyphCount } = columns;
  for (let i = firstGlyphAt(startPs, fromPs); i < glyphCount && startPs[i]! < toPs; i++) {
    if (startPs[i]! >= fromPs || startPs[i]! + durationPs[i]! > fromPs) return true;
  }
  return false;
}
