import { expect, test } from 'vitest';

import { barOf, beside, isAbout, isWhole, positionOf, shareBelow, type Occurrences } from './occurrences';

const slice = (track: number, index: number, start_ps: number) => ({
  slice: { track, lane: 0, index },
  name: 'fusion',
  track_name: `t${track}`,
  start_ps,
  duration_ps: 10 + start_ps,
});
const found: Occurrences = {
  name: 'fusion',
  asked: { startPs: 0, durationPs: 10 },
  slice_count: 3,
  median_ps: 15,
  p95_ps: 30,
  shorter_count: 0,
  bars: [],
  first_position: 0,
  slices: [slice(1, 0, 0), slice(2, 0, 5), slice(1, 1, 20)],
};
/** The same of 10,000, of which the server listed those around the 7,000th. */
const part: Occurrences = { ...found, slice_count: 10_000, shorter_count: 2500, first_position: 7000 };

test('the next slice of the same name may be on another track', () => {
  expect(beside(found, { track: 1, lane: 0, index: 0 }, 1)).toBe(found.slices[1]);
  expect(beside(found, { track: 1, lane: 0, index: 1 }, -1)).toBe(found.slices[1]);
  expect(beside(found, { track: 1, lane: 0, index: 1 }, 1)).toBeNull();
  expect(beside(found, { track: 9, lane: 0, index: 1 }, 1)).toBeNull();
});

test('a part of a long list knows where it is', () => {
  expect(positionOf(part, { track: 2, lane: 0, index: 0 })).toBe(7001);
  expect(beside(part, { track: 2, lane: 0, index: 0 }, 1)).toBe(part.slices[2]);
  expect(positionOf(part, { track: 7, lane: 0, index: 0 })).toBe(-1);
});

test('a part is about the slice that it was asked for, a whole list about all', () => {
  const other = { startPs: 5, durationPs: 15 };
  expect([isWhole(found), isWhole(part)]).toEqual([true, false]);
  expect(isAbout(found, 'fusion', other)).toBe(true);
  expect(isAbout(part, 'fusion', other)).toBe(false);
  expect(isAbout(part, 'fusion', part.asked)).toBe(true);
  expect(isAbout(found, 'copy', found.asked)).toBe(false);
});

test('the share of shorter ones is that of all, not of those listed', () => {
  expect(shareBelow(part, 10)).toBe(0.25);
  expect(shareBelow(found, 30)).toBeCloseTo(2 / 3);
});

test('the last bar has both its ends', () => {
  const bars = [10, 20, 30].map((from_ps) => ({ from_ps, to_ps: from_ps + 10, slice_count: 1 }));
  expect([barOf(bars, 10), barOf(bars, 20), barOf(bars, 40)]).toEqual([0, 1, 2]);
});
