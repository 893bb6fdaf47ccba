import { expect, test } from 'vitest';

import { statisticsOf, textOf } from './statistics';

test('percentiles are figures that occur', () => {
  const found = statisticsOf([4, 1, null, 3, 2, 'x', 10]);
  expect(found).toMatchObject({ count: 5, sum: 20, min: 1, median: 3, mean: 4, p95: 10, max: 10 });
  expect(found?.isLogarithmic).toBe(false);
});

test('every figure is in exactly one bin', () => {
  const values = Array.from({ length: 1000 }, (_, index) => (index + 1) ** 3);
  const found = statisticsOf(values);
  expect(found?.isLogarithmic).toBe(true);
  expect(found?.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(1000);
  for (const bin of found?.bins.slice(0, -1) ?? []) {
    expect(bin.count).toBe(values.filter((value) => bin.from <= value && value < bin.to).length);
  }
});

test('equal figures have one bin, none have no statistics', () => {
  expect(statisticsOf([7, 7, 7])?.bins).toEqual([{ from: 7, to: 7, count: 3 }]);
  expect(statisticsOf([null, NaN])).toBeNull();
});

test('the figures of a column share a unit', () => {
  const found = statisticsOf([900e6, 2e9, 3e9])!;
  const text = textOf('duration', found);
  expect([text(found.min), text(found.max)]).toEqual(['0.900\u202fms', '3.000\u202fms']);
});
