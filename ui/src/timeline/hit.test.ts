import { describe, expect, test } from 'vitest';

import { hitLane, rowUnder, tracksBetween } from './hit';
import { FIRST_CHOICES, GROUP_HEIGHT, LANE_HEIGHT, placeRows, TRACK_GAP } from './layout';
import type { TrackRow } from './layout';
import { firstGlyphAt, type Segment } from './segments';
import { buildTile, lone, type GlyphSpec } from './tile-builder.test-support';
import type { Scene } from './scene';
import { decodeTile } from './tile';

const row = { track: { track: 7 } } as TrackRow;
const segment = (glyphs: GlyphSpec[], startPs: number, endPs: number): Segment => {
  const spec = { startPs, endPs, widthPx: 100, tracks: [{ track: 0, lanes: [glyphs] }] };
  return { tile: decodeTile(buildTile(spec)).tracks[0]!, startPs, endPs, isExact: true };
};

describe('hitLane', () => {
  const merged: GlyphSpec = {
    startPs: 400,
    durationPs: 30,
    busyPs: 20,
    index: 2,
    count: 17,
    label: 4,
  };
  const segments = [
    segment([lone(0, 100, 0, 1), lone(200, 2, 1, 2), merged, lone(900, 300, 19, 3)], 0, 1000),
    segment([lone(900, 300, 19, 3), lone(1500, 0, 20, 5)], 1000, 2000),
  ];
  const indexAt = (timePs: number, reachPs = 5) =>
    hitLane(segments, row, 0, timePs, reachPs)?.ref.index ?? null;

  test('finds the slice that contains the time', () => {
    expect(indexAt(50)).toBe(0);
    expect(indexAt(201)).toBe(1);
    expect(indexAt(1100)).toBe(19);
  });

  test('returns the merged glyph with its count and busy time', () => {
    expect(hitLane(segments, row, 0, 410, 5)).toMatchObject({
      count: 17,
      busyPs: 20,
      durationPs: 30,
      ref: { track: 7, lane: 0, index: 2 },
      label: 4,
    });
  });

  test('finds the nearest narrow slice or instant within reach', () => {
    expect(indexAt(205)).toBe(1);
    expect(indexAt(1497)).toBe(20);
    expect(indexAt(1500)).toBe(20);
    expect(indexAt(102, 200)).toBe(0);
    expect(indexAt(190, 200)).toBe(1);
  });

  test('finds nothing in a gap or in a lane without glyphs', () => {
    expect(indexAt(150)).toBeNull();
    expect(hitLane(segments, row, 3, 50, 5)).toBeNull();
    expect(hitLane([{ ...segments[0]!, tile: null }], row, 0, 50, 5)).toBeNull();
  });
});

test('firstGlyphAt steps back to the glyph that may still reach the time', () => {
  const starts = Float64Array.of(0, 10, 20, 30);
  expect([-5, 0, 5, 10, 15, 99].map((time) => firstGlyphAt(starts, time))).toEqual([
    0, 0, 0, 0, 1, 3,
  ]);
  expect(firstGlyphAt(new Float64Array(0), 5)).toBe(0);
});

describe('areas', () => {
  const track = (number: number) => ({
    track: number,
    name: `t${number}`,
    role: 'stream',
    lanes: 1,
    folded: false,
    slice_count: 1,
    counter_min: null,
    counter_max: null,
    counter_unit: '',
  });
  const group = (name: string, ...tracks: number[]) => ({
    name,
    kind: 'device',
    device_index: 0,
    tracks: tracks.map(track),
  });
  const report = {
    start_epoch_ns: null,
    start_ps: 0,
    end_ps: 1,
    slice_count: 4,
    steps: [],
    notes: [],
    groups: [group('a', 0, 1), group('b', 2, 3)],
  };
  const rowHeight = LANE_HEIGHT + TRACK_GAP;
  const sceneWith = (pinned: number[], scrollY: number): Scene => {
    const layout = placeRows(report, {
      ...FIRST_CHOICES,
      closedGroups: new Set(['b']),
      pinned,
    });
    const geometry = {
      width: 100,
      height: 600,
      ratio: 1,
      headHeight: 80,
      hasStepRuler: false,
      hasPathRuler: false,
      pinnedHeight: layout.pinnedHeight,
      scrollY,
    };
    return { layout, geometry } as unknown as Scene;
  };

  test('take the tracks whose rows they touch, and all of a closed group', () => {
    const scene = sceneWith([], 0);
    const top = 80 + GROUP_HEIGHT;
    expect(tracksBetween(scene, top + 2, top + 4)).toEqual([0]);
    expect(tracksBetween(scene, top + 2, top + rowHeight + 2)).toEqual([0, 1]);
    expect(tracksBetween(scene, 80, 600)).toEqual([0, 1, 2, 3]);
  });

  test('see pinned tracks above the rows that scroll under them', () => {
    const scene = sceneWith([3], GROUP_HEIGHT);
    expect(tracksBetween(scene, 82, 84)).toEqual([3]);
    expect(tracksBetween(scene, 80 + rowHeight + 1, 80 + rowHeight + 2)).toEqual([0]);
    expect((rowUnder(scene, 82) as TrackRow).track.track).toBe(3);
    expect(rowUnder(scene, 79)).toBeUndefined();
  });
});
