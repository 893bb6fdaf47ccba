import { expect, test } from 'vitest';

import { axisOf, place, roofOf, ticksOf } from './scale';

test('an axis ends at powers of ten around its values', () => {
  const axis = axisOf([0, 3, 450, NaN]);
  expect(axis).toEqual({ from: 1, to: 1000 });
  expect(place(axis, 1)).toBe(0);
  expect(place(axis, 1000)).toBe(1);
  expect(ticksOf(axis, 10)).toEqual([1, 10, 100, 1000]);
  expect(ticksOf({ from: 1, to: 1e9 }, 3)).toEqual([1, 1e3, 1e6, 1e9]);
  expect(axisOf([])).toEqual({ from: 1, to: 10 });
});

test('a roof rises to its ridge and is flat behind it', () => {
  const roof = roofOf({ from: 1, to: 1000 }, 1e12, 1e14);
  expect(roof).toEqual([
    [1, 1e12],
    [100, 1e14],
    [1000, 1e14],
  ]);
  expect(roofOf({ from: 1, to: 10 }, 1e12, null)).toEqual([
    [1, 1e12],
    [10, 1e13],
  ]);
});
