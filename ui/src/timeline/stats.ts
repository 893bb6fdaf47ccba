/** Figures about frames and tiles, for the overlay and for tests. */
import type { FrameStats } from './draw';
import type { FrameClock } from './frame-clock';
import type { TileCache } from './tile-cache';
import type { TileLoader } from './tiles';

export type Stats = ReturnType<typeof statsOf>;

/** The figures now; `isResting` if the window does not move and rows have their heights. */
export function statsOf(
  frames: FrameClock,
  drawn: FrameStats,
  loader: TileLoader,
  cache: TileCache,
  isResting: boolean,
) {
  return {
    frames: frames.frameCount,
    drawMedianMs: frames.drawMs.quantile(0.5),
    drawP95Ms: frames.drawMs.quantile(0.95),
    intervalMedianMs: frames.intervalMs.quantile(0.5),
    intervalP95Ms: frames.intervalMs.quantile(0.95),
    intervals: frames.intervalMs.count,
    ...drawn,
    tilesRequested: loader.requestCount,
    tilesLoaded: loader.loadedCount,
    tilesCanceled: loader.canceledCount,
    tilesFailed: loader.failedCount,
    tileBytes: cache.byteLength,
    tileMedianMs: median(loader.latenciesMs),
    isSettled: loader.settled && isResting,
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}
