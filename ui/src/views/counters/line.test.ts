import { expect, test } from 'vitest';

import { valueText } from '../../format/counter-value';
import { pointsIn, titlesOf, valueAxis, valueRange } from './line';

const point = (at_ps: number, value: number, spread = 0) => ({
  at_ps,
  mean: value,
  min: value - spread,
  max: value + spread,
});

test('the visible points, and one on either side', () => {
  const points = [0, 200, 400, 600, 800].map((at) => point(at, at));
  const times = (startPs: number, endPs: number) =>
    pointsIn(points, { startPs, endPs }).map(({ at_ps }) => at_ps);
  expect(times(0, 1000)).toEqual([0, 200, 400, 600, 800]);
  expect(times(390, 410)).toEqual([200, 400, 600]);
  expect(times(410, 420)).toEqual([400, 600]);
});

test('a constant is drawn in the middle, and the axis starts at a nearby zero', () => {
  expect(valueRange([point(0, 4), point(9, 4)])).toEqual({ from: 3.8, to: 4.2 });
  expect(valueRange([point(0, 1), point(9, 4)])).toEqual({ from: 0, to: 4 });
  expect(valueRange([point(0, 3), point(9, 4)])).toEqual({ from: 3, to: 4 });
  expect(valueRange([point(0, 5, 5)])).toEqual({ from: 0, to: 10 });
});

test('an axis of values has one unit', () => {
  const axis = valueAxis([point(0, 0), point(1, 2.4e12)], 'bytes/s')(80);
  expect(axis.title).toBe('TB/s');
  expect(axis.ticks.map(({ text }) => text)).toEqual(['0', '1', '2']);
  expect(valueAxis([point(0, 0), point(1, 3)], '')(80).title).toBe('');
});

test('values have their unit', () => {
  expect(valueText(1234.5678, 'W')).toBe('1,234.6 W');
  expect(valueText(0, '')).toBe('0');
  expect(valueText(12_345_678, 'cycles')).toBe('12.35 M cycles');
  expect(valueText(2.4e12, 'bytes/s')).toBe('2.4 TB/s');
  expect(valueText(5e9, '')).toBe('5 G');
  expect(valueText(0.0001235, 'W')).toBe('1.235e-4 W');
});

test('names lose a long prefix that they share', () => {
  const path = 'VF_CHIP_TC_TCS_STATS_UNPRIVILEGED_COUNT_';
  const titles = titlesOf([
    `${path}CYCLES`,
    `${path}MXU_BUSY_1`,
    `${path}MXU_BUSY_2`,
    'power_watts',
  ]);
  expect([...titles.values()]).toEqual(['CYCLES', 'MXU_BUSY_1', 'MXU_BUSY_2', 'power_watts']);
  const metrics = ['sm__cycles_active.avg.pct_of_peak', 'sm__cycles_active.sum'];
  expect(titlesOf(metrics).get('sm__cycles_active.sum')).toBe('sm__cycles_active.sum');
  expect(titlesOf([`${path}CYCLES`]).get(`${path}CYCLES`)).toBe(`${path}CYCLES`);
});
