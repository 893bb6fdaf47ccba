import { expect, test } from 'vitest';

import { figureAxis } from './axis';
import { marginOf, widthOf } from './frame';

/** Pixels of the widest character of the title, which ends 8 pixels left of the plot. */
const WIDEST = 7.2;
const BESIDE_TITLE = 8;

test.each([
  ['flop_rate', 4e12],
  ['bandwidth', 9e11],
  ['bytes', 5e9],
  ['duration', 3e9],
] as const)('the unit above an axis of %s has room', (kind, to) => {
  const axis = figureAxis('', kind, 0, to)(300);
  expect(axis.title).not.toBe('');
  const { left } = marginOf(null, axis);
  expect(left - BESIDE_TITLE).toBeGreaterThanOrEqual(axis.title.length * WIDEST);
});

test('names of devices have room next to the plot', () => {
  // Measured in DejaVu Sans at 12 pixels, the widest of the fonts in use.
  expect(widthOf('h100/GPU:0')).toBeGreaterThanOrEqual(70.5);
  expect(widthOf('1000')).toBeGreaterThanOrEqual(30.5);
});

test('a long title goes to the right from the edge and needs no room', () => {
  const axis = figureAxis('Step time of all devices', 'duration', 0, 3e9)(300);
  expect(marginOf(null, axis).left).toBeLessThan(80);
});
