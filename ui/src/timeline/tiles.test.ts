import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { buildTile, lone } from './tile-builder.test-support';
import { decodeTile } from './tile';
import { TileCache } from './tile-cache';
import {
  ancestorIndex,
  lastTileIndex,
  levelForResolution,
  rootLevel,
  tileIndexAt,
  tileKey,
  tileSpanPs,
  TILE_PX,
} from './tile-grid';
import { TileLoader, wantedTiles, type TileView } from './tiles';
import { DrawPlan } from './plan';

const tileOf = (...tracks: number[]) =>
  buildTile({
    startPs: 0,
    endPs: 1,
    widthPx: 1,
    tracks: tracks.map((track) => ({ track, lanes: [[lone(0, 10)]] })),
  });

describe('the grid', () => {
  test('a pixel of a level is at most one screen pixel and more than half of one', () => {
    for (const psPerPx of [1, 1.5, 2, 3.99, 1000, 1e9]) {
      const psPerTilePx = 2 ** levelForResolution(psPerPx);
      expect(psPerTilePx).toBeLessThanOrEqual(psPerPx);
      expect(psPerTilePx * 2).toBeGreaterThan(psPerPx);
    }
    expect(levelForResolution(0.01)).toBe(0);
  });

  test('two tiles make one tile of the next level', () => {
    const timePs = 123_456_789_012;
    const index = tileIndexAt(5, timePs);
    expect(ancestorIndex(index, 1)).toBe(tileIndexAt(6, timePs));
    expect(tileSpanPs(6)).toBe(2 * tileSpanPs(5));
    expect(tileSpanPs(0)).toBe(TILE_PX);
  });

  test('a range that ends on a border does not reach into the next tile', () => {
    expect(lastTileIndex(3, tileSpanPs(3) * 4)).toBe(3);
    expect(lastTileIndex(3, tileSpanPs(3) * 4 + 1)).toBe(4);
  });

  test('one tile of the root level contains the session', () => {
    const level = rootLevel(0, 1e12);
    expect(tileSpanPs(level)).toBeGreaterThanOrEqual(1e12);
    expect(tileSpanPs(level - 1)).toBeLessThan(1e12);
    const shifted = rootLevel(7e11, 8e11);
    expect(tileIndexAt(shifted, 7e11)).toBe(lastTileIndex(shifted, 8e11));
  });

  test('keys of different tiles differ, to the ends of the exact range', () => {
    const keys = new Set<number>();
    const last = tileIndexAt(0, 2 ** 53);
    for (const level of [0, 1, 40, 52]) {
      for (const index of [0, 1, last - 1, last]) keys.add(tileKey(level, index));
    }
    expect(keys.size).toBe(16);
  });
});

describe('the cache', () => {
  test('finds a coarser tile where the exact one is missing', () => {
    const cache = new TileCache(1e6);
    cache.put(8, 1, decodeTile(tileOf(3)));
    expect(cache.find(3, 5, 11, 10)?.level).toBe(8);
    expect(cache.find(3, 5, 16, 10)).toBeUndefined();
    expect(cache.find(3, 5, 11, 7)).toBeUndefined();
    expect(cache.find(4, 5, 11, 10)).toBeUndefined();
  });

  test('stays within its budget and evicts the least recently used', () => {
    const bytes = tileOf(1).byteLength;
    const cache = new TileCache(3 * bytes);
    for (const index of [0, 1, 2]) cache.put(0, index, decodeTile(tileOf(1)));
    cache.get(1, 0, 0);
    cache.put(0, 3, decodeTile(tileOf(1)));
    expect(cache.byteLength).toBe(3 * bytes);
    expect([0, 1, 2, 3].map((index) => cache.has(1, 0, index))).toEqual([true, false, true, true]);
  });

  test('keeps the newest even when it alone is too large', () => {
    const cache = new TileCache(1);
    cache.put(0, 0, decodeTile(tileOf(1, 2)));
    expect(cache.has(2, 0, 0)).toBe(true);
  });
});

const view = (changes: Partial<TileView> = {}): TileView => ({
  window: { startPs: 4000, endPs: 8000 },
  session: { startPs: 0, endPs: 1_000_000 },
  level: 1,
  rootLevel: 10,
  visible: [1, 2],
  nearby: [3],
  anchorPs: 7500,
  ...changes,
});

describe('wanted tiles', () => {
  test('visible tiles come first, starting with the one under the cursor', () => {
    const urgent = wantedTiles(view()).filter((request) => request.urgent);
    expect(urgent.map((request) => request.index)).toEqual([3, 2, 1]);
    expect(urgent.every((request) => request.level === 1)).toBe(true);
    expect(urgent[0]?.tracks).toEqual([1, 2]);
  });

  test('then the tile of the whole session, neighbors and the coarser level', () => {
    const rest = wantedTiles(view()).filter((request) => !request.urgent);
    expect(rest[0]).toMatchObject({ level: 10, index: 0, tracks: [1, 2, 3] });
    expect(rest.some(({ level, index }) => level === 1 && index === 0)).toBe(true);
    expect(rest.some(({ level, index }) => level === 1 && index === 4)).toBe(true);
    expect(rest.some(({ level, index }) => level === 2 && index === 1)).toBe(true);
  });

  test('nothing outside the session', () => {
    const requests = wantedTiles(view({ window: { startPs: -5000, endPs: 1000 }, anchorPs: 0 }));
    expect(requests.every((request) => request.index >= 0)).toBe(true);
    const beyond = view({ window: { startPs: 2e6, endPs: 3e6 } });
    expect(wantedTiles(beyond)).toEqual([]);
  });
});

describe('the loader', () => {
  interface Call {
    startPs: number;
    endPs: number;
    tracks: readonly number[];
    signal: AbortSignal;
    answer: () => Promise<void>;
  }
  let calls: Call[] = [];
  let cache: TileCache;
  let loader: TileLoader;
  const errors: unknown[] = [];

  beforeEach(() => {
    calls = [];
    errors.length = 0;
    cache = new TileCache(1e9);
    const fetchTile = (
      startPs: number,
      endPs: number,
      tracks: readonly number[],
      signal: AbortSignal,
    ) =>
      new Promise<ArrayBuffer>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
        const answer = async () => {
          resolve(tileOf(...tracks));
          await vi.waitFor(() => expect(loader.loadedCount).toBeGreaterThan(0));
          await Promise.resolve();
        };
        calls.push({ startPs, endPs, tracks, signal, answer });
      });
    loader = new TileLoader(
      cache,
      fetchTile,
      () => undefined,
      (error) => errors.push(error),
    );
  });
  afterEach(() => loader.dispose());

  test('requests tiles of the grid, and prefetches only when nothing urgent is missing', async () => {
    loader.want(view());
    expect(calls.map((call) => call.startPs)).toEqual([6144, 4096, 2048]);
    expect(calls[0]?.endPs).toBe(8192);
    expect(loader.settled).toBe(false);
    for (const call of calls.slice(0, 3)) await call.answer();
    expect(loader.settled).toBe(true);
    expect(calls.length).toBeGreaterThan(3);
    expect(calls[3]?.startPs).toBe(0);
  });

  test('requests only tracks that are new', () => {
    loader.want(view());
    loader.want(view({ visible: [1, 2, 9] }));
    expect(calls.slice(3).every((call) => call.tracks.join() === '9')).toBe(true);
  });

  test('silently cancels tiles that are no longer in the window', async () => {
    loader.want(view());
    loader.want(view({ window: { startPs: 500_000, endPs: 504_000 }, anchorPs: 502_000 }));
    expect(calls.slice(0, 3).every((call) => call.signal.aborted)).toBe(true);
    await Promise.resolve();
    expect(errors).toEqual([]);
    expect(calls.slice(3).some((call) => call.startPs > 490_000)).toBe(true);
  });
});

describe('the plan', () => {
  test('draws the coarser tile until the finer one arrives', () => {
    const cache = new TileCache(1e9);
    const plan = new DrawPlan(cache, 10);
    cache.put(2, 0, decodeTile(tileOf(1)));
    plan.update({ startPs: 0, endPs: 4096 }, 2);
    expect(plan.segments(1)).toMatchObject([{ startPs: 0, endPs: 4096, isExact: false }]);
    cache.put(1, 0, decodeTile(tileOf(1)));
    plan.update({ startPs: 0, endPs: 4096 }, 2);
    const segments = plan.segments(1);
    expect(segments.map((segment) => segment.isExact)).toEqual([true, false]);
    expect(segments[1]).toMatchObject({ startPs: 2048, endPs: 4096 });
  });

  test('prefers two finer tiles to a much coarser one', () => {
    const cache = new TileCache(1e9);
    const plan = new DrawPlan(cache, 10);
    cache.put(10, 0, decodeTile(tileOf(1)));
    cache.put(1, 0, decodeTile(tileOf(1)));
    cache.put(1, 1, decodeTile(tileOf(1)));
    plan.update({ startPs: 0, endPs: 4096 }, 4);
    expect(plan.level).toBe(2);
    expect(plan.segments(1).map((segment) => segment.endPs)).toEqual([2048, 4096]);
  });
});
