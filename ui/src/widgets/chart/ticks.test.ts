import { expect, test } from 'vitest';

import { decadeTicks, doublingTicks, everyNth, linearTicks, roundStep, wholeTicks } from './ticks';

test('steps are round', () => {
  expect([0.3, 1, 1.1, 2, 3, 5.1, 70].map(roundStep)).toEqual([0.5, 1, 2, 2, 5, 10, 100]);
});

test('ticks are within the range', () => {
  expect(linearTicks(0, 13, 4)).toEqual([0, 5, 10]);
  expect(linearTicks(0, 100, 5)).toEqual([0, 20, 40, 60, 80, 100]);
  expect(linearTicks(7, 18, 4)).toEqual([10, 15]);
  expect(linearTicks(-3, 3, 3)).toEqual([-2, 0, 2]);
  expect(linearTicks(4, 4, 4)).toEqual([4]);
});

test('ticks are round in their unit', () => {
  const gib = 1024 ** 3;
  expect(linearTicks(0, 21.6 * gib, 6, gib)).toEqual([0, 5, 10, 15, 20].map((n) => n * gib));
  expect(linearTicks(0, 3 * gib, 6, gib).slice(0, 3)).toEqual([0, 0.5 * gib, gib]);
});

test('counts have whole ticks', () => {
  expect(wholeTicks(0, 2, 8)).toEqual([0, 1, 2]);
  expect(wholeTicks(0, 1, 8)).toEqual([0, 1]);
  expect(wholeTicks(0, 90, 3)).toEqual([0, 50]);
});

test('powers are spaced out', () => {
  expect(decadeTicks(1, 1000, 10)).toEqual([1, 10, 100, 1000]);
  expect(decadeTicks(1, 1e9, 3)).toEqual([1, 1e3, 1e6, 1e9]);
  expect(doublingTicks(0.9, 9, 8)).toEqual([1, 2, 4, 8]);
  expect(doublingTicks(1, 2 ** 20, 8).length).toBeLessThan(10);
});

test('labels that do not fit are left out evenly', () => {
  expect(everyNth(40, 30)).toBe(1);
  expect(everyNth(10, 30)).toBe(5);
});
