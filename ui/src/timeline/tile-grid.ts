/**
 * The grid that divides time into tiles: level L shows 2^L picoseconds per pixel, and tile I of a
 * level covers TILE_PX of its pixels. Each tile is exactly two tiles of the next finer level, so a
 * coarser one can always replace a finer one that is still loading.
 */

/** Pixels per tile at the tile's own resolution. */
export const TILE_PX = 1024;

/** Finest level: one picosecond per pixel. */
export const MIN_LEVEL = 0;

/** Room for indices of the finest level over the whole exact range of an f64. */
const LEVEL_STRIDE = 2 ** 45;

/** The coarsest level at least as fine as the screen: its pixel is half to one screen pixel. */
export function levelForResolution(psPerPx: number): number {
  return Math.max(MIN_LEVEL, Math.floor(Math.log2(psPerPx) + 1e-9));
}

/** Picoseconds that one tile of the level covers. */
export function tileSpanPs(level: number): number {
  return TILE_PX * 2 ** level;
}

/** Index of the tile that contains the time. */
export function tileIndexAt(level: number, timePs: number): number {
  return Math.floor(timePs / tileSpanPs(level));
}

/** Index of the last tile that begins before the end of a half-open range. */
export function lastTileIndex(level: number, endPs: number): number {
  return Math.ceil(endPs / tileSpanPs(level)) - 1;
}

/** The coarsest level that is useful: the first at which one tile contains the whole session. */
export function rootLevel(startPs: number, endPs: number): number {
  let level = MIN_LEVEL;
  while (level < 52 && tileIndexAt(level, startPs) < lastTileIndex(level, endPs)) level++;
  return level;
}

/** Index, at a coarser level, of the tile that contains this one. */
export function ancestorIndex(index: number, levelsUp: number): number {
  return Math.floor(index / 2 ** levelsUp);
}

/** One number for level and index, exact below 2^53. */
export function tileKey(level: number, index: number): number {
  return level * LEVEL_STRIDE + index;
}
