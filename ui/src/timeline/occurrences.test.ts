import { describe, expect, test } from 'vitest';

import { barOf, beside, histogram, quantile, shareBelow, type Occurrences } from './occurrences';

const slice = (track: number, index: number, start_ps: number) => ({
  slice: { track, lane: 0, index },
  name: 'fusion',
  track_name: `t${track}`,
  start_ps,
  duration_ps: 10,
});
const found: Occurrences = {
  name: 'fusion',
  slices: [slice(1, 0, 0), slice(2, 0, 5), slice(1, 1, 20)],
  total: 3,
};

test('the next slice of the same name may be on another track', () => {
  expect(beside(found, { track: 1, lane: 0, index: 0 }, 1)).toBe(found.slices[1]);
  expect(beside(found, { track: 1, lane: 0, index: 1 }, -1)).toBe(found.slices[1]);
  expect(beside(found, { track: 1, lane: 0, index: 1 }, 1)).toBeNull();
  expect(beside(found, { track: 9, lane: 0, index: 1 }, 1)).toBeNull();
});

describe('histogram', () => {
  test('every duration is in one bar', () => {
    const durations = [10, 11, 12, 19, 20];
    const bars = histogram(durations, 5);
    expect(bars.map((bar) => bar.count)).toEqual([2, 1, 0, 0, 2]);
    expect([bars[0]!.fromPs, bars[4]!.toPs]).toEqual([10, 20]);
    expect(barOf(bars, 20)).toBe(4);
  });

  test('a wide range is divided by ratio', () => {
    const bars = histogram([1, 10, 100, 1000], 3);
    expect(bars.map((bar) => Math.round(bar.fromPs))).toEqual([1, 10, 100]);
    expect(bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(4);
  });

  test('equal durations and none', () => {
    expect(histogram([7, 7], 4).reduce((sum, bar) => sum + bar.count, 0)).toBe(2);
    expect(histogram([], 4)).toEqual([]);
  });
});

test('shares and quantiles are of the durations, nearest rank', () => {
  expect(shareBelow([1, 2, 3, 4], 3)).toBe(0.5);
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(quantile([4, 1, 3, 2], 0.95)).toBe(4);
  expect(quantile([], 0.5)).toBe(0);
});
