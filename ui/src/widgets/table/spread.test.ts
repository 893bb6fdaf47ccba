import { expect, test } from 'vitest';

import { placeIn, spreadOf } from './spread';

test('five numbers of a column, missing ones left out', () => {
  expect(spreadOf([5, null, 1, 3, 2, 4, Number.NaN])).toEqual({
    low: 1,
    lowerQuartile: 2,
    median: 3,
    upperQuartile: 4,
    high: 5,
  });
  expect(spreadOf([7, 7, null])).toBeNull();
  expect(spreadOf([])).toBeNull();
});

test('figures are placed linearly, and by factors where they differ much', () => {
  const near = spreadOf([10, 20, 30])!;
  expect([10, 20, 30, 99].map((value) => placeIn(near, value))).toEqual([0, 0.5, 1, 1]);
  const far = spreadOf([1, 100, 10_000])!;
  expect(placeIn(far, 100)).toBeCloseTo(0.5);
  // Zero has no logarithm.
  expect(placeIn(spreadOf([0, 50, 10_000])!, 5000)).toBeCloseTo(0.5);
});
