import { expect, test } from 'vitest';

import { nearest, pathsOf, rangeOf, timeAt, titlesOf, valueText } from './line';

const point = (at_ps: number, value: number, spread = 0) => ({
  at_ps,
  mean: value,
  min: value - spread,
  max: value + spread,
});
const box = { width: 100, height: 10, startPs: 0, endPs: 1000 };

test('a line goes from the lower left to the upper right', () => {
  const { line, band, low, high } = pathsOf([point(0, 0), point(1000, 10)], box);
  expect(line).toBe('0.0,10.0 100.0,0.0');
  expect(band).toBe('');
  expect([low, high]).toEqual([0, 10]);
});

test('parts of the time have a band', () => {
  const { band } = pathsOf([point(0, 5, 5), point(1000, 5, 5)], box);
  expect(band).toBe('0.0,0.0 100.0,0.0 100.0,10.0 0.0,10.0');
});

test('a constant is drawn in the middle, and zero is in sight of small values', () => {
  expect(rangeOf([point(0, 4), point(9, 4)], box)).toEqual({ low: 3.8, high: 4.2 });
  expect(rangeOf([point(0, 1), point(9, 4)], box)).toEqual({ low: 0, high: 4 });
  expect(rangeOf([point(0, 3), point(9, 4)], box)).toEqual({ low: 3, high: 4 });
});

test('places and times', () => {
  expect(nearest([point(0, 1), point(400, 2), point(900, 3)], box, 45)?.at_ps).toBe(400);
  expect(nearest([], box, 45)).toBeUndefined();
  expect(timeAt(box, 25)).toBe(250);
  expect(timeAt(box, -5)).toBe(0);
});

test('values have their unit', () => {
  expect(valueText(1234.5678, 'W')).toBe('1,234.6 W');
  expect(valueText(0, '')).toBe('0');
  expect(valueText(12_345_678, 'cycles')).toBe('12.35 M cycles');
  expect(valueText(2.4e12, 'bytes/s')).toBe('2.4 TB/s');
  expect(valueText(5e9, '')).toBe('5 G');
  expect(valueText(0.0001235, 'W')).toBe('1.235e-4 W');
});

test('names that begin alike are told apart by their ends', () => {
  const path = 'VF_CHIP_TC_TCS_STATS_UNPRIVILEGED_COUNT_';
  const titles = titlesOf([`${path}CYCLES`, `${path}MXU_BUSY_1`, `${path}MXU_BUSY_2`, 'power_watts']);
  expect([...titles.values()]).toEqual(['CYCLES', 'MXU_BUSY_1', 'MXU_BUSY_2', 'power_watts']);
  const metrics = ['sm__cycles_active.avg.pct_of_peak', 'sm__cycles_active.sum'];
  expect(titlesOf(metrics).get('sm__cycles_active.sum')).toBe('sm__cycles_active.sum');
  expect(titlesOf([`${path}CYCLES`]).get(`${path}CYCLES`)).toBe(`${path}CYCLES`);
});
