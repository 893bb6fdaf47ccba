import { expect, test } from 'vitest';

import type { StepBar } from '../../wire/generated/StepBar';
import { axisTop, bucketSteps, stepsBetween, stepTest } from './layout';

const series = (lengths: number[]): StepBar[] =>
  lengths.map((duration, index) => ({
    step: index + 1,
    start_ps: index * 100,
    duration_ps: duration,
    parts_ps: [duration * 0.75, duration * 0.25],
    is_outlier: duration > 50,
  }));

test('every step is in one bar, and the parts still sum to it', () => {
  for (const limit of [1, 3, 7, 100]) {
    const buckets = bucketSteps(series([10, 12, 60, 11, 9, 10, 13]), limit);
    expect(buckets.length).toBeLessThanOrEqual(limit);
    expect(buckets.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(7);
    for (const bucket of buckets) {
      expect(bucket.partsPs.reduce((sum, part) => sum + part, 0)).toBeCloseTo(bucket.durationPs);
      expect(bucket.maxPs).toBeGreaterThanOrEqual(bucket.durationPs);
    }
    expect(buckets.some((bucket) => bucket.isOutlier)).toBe(true);
  }
});

test('one very long step does not flatten the others', () => {
  const usual = bucketSteps(series([10, 12, 11, 13, 9]), 100);
  expect(axisTop(usual)).toBe(13);
  const withCompilation = bucketSteps(series([900, 12, 11, 13, 9]), 100);
  expect(axisTop(withCompilation)).toBeLessThan(30);
});

test('selections of steps', () => {
  const [first, , third] = bucketSteps(series([1, 2, 3]), 100);
  expect(stepsBetween(third!, first!)).toBe('1..=3');
  expect(stepsBetween(first!, first!)).toBe('1');
  const picked = (selection: string) =>
    [1, 2, 3, 4, 5, 6].filter(stepTest(selection) ?? (() => true));
  expect(picked('2..4')).toEqual([2, 3]);
  expect(picked('2..=4,6')).toEqual([2, 3, 4, 6]);
  expect(picked('5..')).toEqual([5, 6]);
  expect(picked('..3')).toEqual([1, 2]);
  expect(picked('4')).toEqual([4]);
  expect(picked('x')).toEqual([]);
  expect(picked('')).toHaveLength(6);
});
