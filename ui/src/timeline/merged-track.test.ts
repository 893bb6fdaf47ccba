import { describe, expect, test } from 'vitest';

import { composed, FIRST_MERGED, laneOf, mergedTrackOf, refOf } from './merged-track';
import { depthOf, type Segment } from './segments';
import { buildTile, lone, type GlyphSpec } from './tile-builder.test-support';
import { decodeTile } from './tile';

const PIXEL_PS = 10;

/** Segments of one lane, one per list of glyphs, each 1000 ps long. */
const segmentsOf = (track: number, ...parts: GlyphSpec[][]): Segment[] =>
  parts.map((glyphs, i) => {
    const [startPs, endPs] = [i * 1000, (i + 1) * 1000];
    const spec = { startPs, endPs, widthPx: 100, tracks: [{ track, lanes: [glyphs] }] };
    return { tile: decodeTile(buildTile(spec)).tracks[0]!, startPs, endPs, isExact: true };
  });
const compose = (...members: [number, Segment[]][]) =>
  composed(
    members.map(([track, segments]) => ({ track, segments })),
    PIXEL_PS,
  )!;
/** `start+duration×count` of each glyph, lane by lane. */
const shownIn = (segment: Segment) =>
  segment.tile!.lanes.map((columns) =>
    [...columns.startPs].map((start, i) => `${start}+${columns.durationPs[i]}×${columns.count[i]}`),
  );

describe('composed', () => {
  test('ops that hop between threads are one lane', () => {
    const segment = compose(
      [3, segmentsOf(3, [lone(0, 100, 0, 1), lone(300, 100, 1, 1)])],
      [5, segmentsOf(5, [lone(100, 200, 0, 2), lone(400, 50, 1, 2)])],
    );
    expect(shownIn(segment)).toEqual([['0+100×1', '100+200×1', '300+100×1', '400+50×1']]);
    const lane = segment.tile!.lanes[0]!;
    expect([0, 1, 2, 3].map((i) => refOf(lane, i, 9, 9))).toEqual([
      { track: 3, lane: 0, index: 0 },
      { track: 5, lane: 0, index: 0 },
      { track: 3, lane: 0, index: 1 },
      { track: 5, lane: 0, index: 1 },
    ]);
  });

  test('what overlaps is below, outer slices above, and nothing is left out', () => {
    const segment = compose(
      [3, segmentsOf(3, [lone(0, 50, 0, 1), lone(100, 50, 1, 1)])],
      [5, segmentsOf(5, [lone(0, 500, 0, 2)])],
      [6, segmentsOf(6, [lone(120, 40, 0, 3)])],
    );
    expect(shownIn(segment)).toEqual([['0+500×1'], ['0+50×1', '100+50×1'], ['120+40×1']]);
  });

  test('slices narrower than a pixel share it across threads, with the longest as label', () => {
    const segment = compose(
      [3, segmentsOf(3, [lone(101, 2, 0, 1), lone(205, 3, 1, 1)])],
      [5, segmentsOf(5, [lone(104, 4, 0, 2), lone(109, 3, 1, 9)])],
    );
    expect(shownIn(segment)).toEqual([['101+11×3', '205+3×1']]);
    const lane = segment.tile!.lanes[0]!;
    expect([lane.label[0], lane.busyPs[0]]).toEqual([2, 9]);
  });

  test('a slice across two tiles is drawn once', () => {
    const long = lone(900, 300, 0, 1);
    const segment = compose(
      [3, segmentsOf(3, [long], [long, lone(1300, 10, 1, 1)])],
      [5, segmentsOf(5, [], [])],
    );
    expect(shownIn(segment)).toEqual([['900+300×1', '1300+10×1']]);
    expect([segment.startPs, segment.endPs]).toEqual([0, 2000]);
  });

  test('without any tile it is not loaded', () => {
    const missing = { tile: null, startPs: 0, endPs: 1000, isExact: false };
    expect(compose([3, [missing]], [5, [missing]])).toMatchObject({ tile: null, isExact: false });
  });

  test('the lane of a slice is found by its address', () => {
    const segment = compose(
      [3, segmentsOf(3, [lone(0, 500, 7, 1)])],
      [5, segmentsOf(5, [lone(0, 50, 7, 2)])],
    );
    expect(laneOf(segment, { track: 3, lane: 0, index: 7 }, 0)).toBe(0);
    expect(laneOf(segment, { track: 5, lane: 0, index: 7 }, 0)).toBe(1);
    expect(laneOf(segment, { track: 6, lane: 0, index: 7 }, 0)).toBe(-1);
    expect(laneOf(undefined, { track: 3, lane: 0, index: 7 }, 0)).toBe(-1);
  });
});

describe('mergedTrackOf', () => {
  const group = (kind: string, ...roles: string[]) => ({
    name: 'CPU:0',
    kind,
    device_index: 0,
    tracks: roles.map((role, track) => ({
      track,
      name: `t${track}`,
      role,
      lanes: 1,
      folded: false,
      slice_count: 10 + track,
      counter_min: null,
    counter_max: null,
      counter_unit: '',
    })),
  });

  test('only devices whose ops are on several tracks have one', () => {
    expect(mergedTrackOf(group('device', 'programs', 'ops', 'ops'))).toMatchObject({
      track: FIRST_MERGED + 1,
      members: [1, 2],
      slice_count: 23,
    });
    expect(mergedTrackOf(group('device', 'programs', 'ops'))).toBeNull();
    expect(mergedTrackOf(group('device', 'stream', 'stream'))).toBeNull();
    expect(mergedTrackOf(group('host', 'ops', 'ops'))).toBeNull();
  });
});

test('a depth is of the window', () => {
  const spec = {
    startPs: 0,
    endPs: 1000,
    widthPx: 100,
    tracks: [{ track: 0, lanes: [[lone(0, 1000, 0, 1)], [], [lone(300, 100, 0, 1)]] }],
  };
  const tile = decodeTile(buildTile(spec)).tracks[0]!;
  const segments = [{ tile, startPs: 0, endPs: 1000, isExact: true }];
  expect(depthOf(segments, 0, 1000)).toBe(3);
  expect(depthOf(segments, 350, 360)).toBe(3);
  expect(depthOf(segments, 0, 300)).toBe(1);
  expect(depthOf(segments, 400, 500)).toBe(1);
  expect(depthOf([{ ...segments[0]!, tile: null }], 0, 300)).toBeNull();
});
