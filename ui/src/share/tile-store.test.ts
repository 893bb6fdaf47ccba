import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

import { decodeTile } from '../timeline/tile';
import { buildTile, lone } from '../timeline/tile-builder.test-support';
import { TILE_PX } from '../timeline/tile-grid';
import { cut, encodeTile, TileStore } from './tile-store';

const packed = (bytes: ArrayBuffer) => gzipSync(new Uint8Array(bytes)).toString('base64');

const whole = buildTile({
  startPs: 0,
  endPs: 2 * TILE_PX,
  widthPx: TILE_PX,
  tracks: [
    { track: 3, lanes: [[lone(10, 5, 0, 7), lone(1000, 100, 1, 8), lone(1500, 10, 2, 9)], []] },
    { track: 4, samples: [[0, 1, 1], [900, 2, 3], [1200, 4, 4]] },
  ],
});

test('encoding a decoded tile gives the same bytes', () => {
  expect(new Uint8Array(encodeTile(decodeTile(whole)))).toEqual(new Uint8Array(whole));
});

test('a cut keeps slices that reach into it, and the sample before it', () => {
  const { tracks } = decodeTile(whole);
  expect([...cut(tracks[0]!, TILE_PX, 2 * TILE_PX).lanes[0]!.label]).toEqual([8, 9]);
  expect([...cut(tracks[0]!, 0, 1000).lanes[0]!.label]).toEqual([7]);
  expect([...cut(tracks[1]!, TILE_PX, 2 * TILE_PX).counter!.timePs]).toEqual([900, 1200]);
});

test('a complete track has a tile for any window, and every slice on its own', async () => {
  // Kind, lanes; slices, unit, first start, gap, durations, labels.
  const columns = Uint8Array.from([0, 1, 2, 1, 20, 5, 30, 40, 7, 8]).buffer;
  const store = new TileStore([], [{ track: 5, columns: packed(columns) }]);
  const tile = decodeTile(await store.tile(0, 2 * TILE_PX, [5]));
  expect([...tile.tracks[0]!.lanes[0]!.startPs]).toEqual([10, 45]);
  expect(store.lone(5, 0, 1)).toEqual({ label: 8, startPs: 45, durationPs: 40 });
  expect(store.lone(5, 0, 2)).toBeUndefined();
});

test('where a finer tile is missing, the one around it is used', async () => {
  const store = new TileStore([{ tracks: [3, 4], tiles: { '1/0': packed(whole) } }]);
  const half = decodeTile(await store.tile(TILE_PX, 2 * TILE_PX, [3]));
  expect(half.tracks.map((track) => track.track)).toEqual([3]);
  expect([...half.tracks[0]!.lanes[0]!.startPs]).toEqual([1000, 1500]);
  expect(store.lone(3, 0, 1)).toEqual({ label: 8, startPs: 1000, durationPs: 100 });
  expect(store.lone(3, 0, 5)).toBeUndefined();
  const nothing = decodeTile(await store.tile(8 * TILE_PX, 9 * TILE_PX, [3]));
  expect(nothing.tracks.map((track) => track.lanes)).toEqual([[]]);
});
