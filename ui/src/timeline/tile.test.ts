import { describe, expect, test } from 'vitest';

import { buildTile } from './tile-builder.test-support';
import { decodeTile, TileError } from './tile';

describe('decodeTile', () => {
  test('reads lanes, glyph columns and counters', () => {
    const buffer = buildTile({
      startPs: 100,
      endPs: 1124,
      widthPx: 1024,
      tracks: [
        {
          track: 7,
          lanes: [
            [
              { startPs: 100, durationPs: 50, busyPs: 50, index: 3, count: 1, label: 9 },
              { startPs: 160, durationPs: 4, busyPs: 2.5, index: 4, count: 12, label: 2 },
              { startPs: 900, durationPs: 500, busyPs: 500, index: 16, count: 1, label: 9 },
            ],
            [],
          ],
        },
        {
          track: 8,
          samples: [
            [100, 1, 4],
            [600, 2, 2],
          ],
        },
      ],
    });
    const tile = decodeTile(buffer);
    expect([tile.startPs, tile.endPs, tile.widthPx]).toEqual([100, 1124, 1024]);
    const [slices, counter] = tile.tracks;
    expect(slices?.track).toBe(7);
    expect(slices?.lanes.map((lane) => lane.glyphCount)).toEqual([3, 0]);
    const lane = slices!.lanes[0]!;
    expect([...lane.startPs]).toEqual([100, 160, 900]);
    expect([...lane.durationPs]).toEqual([50, 4, 500]);
    expect([...lane.busyPs]).toEqual([50, 2.5, 500]);
    expect([...lane.index]).toEqual([3, 4, 16]);
    expect([...lane.count]).toEqual([1, 12, 1]);
    expect([...lane.label]).toEqual([9, 2, 9]);
    expect(counter?.counter?.sampleCount).toBe(2);
    expect([...counter!.counter!.timePs]).toEqual([100, 600]);
    expect([...counter!.counter!.maximum]).toEqual([4, 2]);
    const bytes = tile.tracks.reduce((sum, track) => sum + track.byteLength, 32);
    expect(bytes).toBe(buffer.byteLength);
  });

  test('copies nothing', () => {
    const glyph = { startPs: 1, durationPs: 2, busyPs: 2, index: 0, count: 1, label: 0 };
    const buffer = buildTile({
      startPs: 0,
      endPs: 10,
      widthPx: 10,
      tracks: [{ track: 0, lanes: [[glyph], [glyph]] }],
    });
    for (const lane of decodeTile(buffer).tracks[0]!.lanes) {
      expect(lane.startPs.buffer).toBe(buffer);
      expect(lane.label.buffer).toBe(buffer);
    }
  });

  test('lanes are found by their index, in any order', () => {
    const glyph = { startPs: 1, durationPs: 2, busyPs: 2, index: 0, count: 1, label: 5 };
    const buffer = buildTile({
      startPs: 0,
      endPs: 10,
      widthPx: 10,
      tracks: [{ track: 0, lanes: [[], [glyph]], laneNumbers: [1, 0] }],
    });
    expect(decodeTile(buffer).tracks[0]!.lanes[0]!.glyphCount).toBe(1);
  });

  test('rejects invalid tiles with a message', () => {
    expect(() => decodeTile(new ArrayBuffer(3))).toThrow(TileError);
    expect(() => decodeTile(new ArrayBuffer(64))).toThrow('it starts with 0x0');
    const glyph = { startPs: 1, durationPs: 2, busyPs: 2, index: 0, count: 1, label: 0 };
    const whole = buildTile({
      startPs: 0,
      endPs: 10,
      widthPx: 10,
      tracks: [{ track: 0, lanes: [[glyph, glyph, glyph]] }],
    });
    for (let length = 32; length < whole.byteLength; length++) {
      expect(() => decodeTile(whole.slice(0, length))).toThrow('ends early');
    }
  });
});
