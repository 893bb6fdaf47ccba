import { expect, test } from 'vitest';

import { decadeAxis, decadesAround, intensityText, rateText, roofOf } from './scale';

test('an axis ends at powers of ten around its values', () => {
  expect(decadesAround([0, 3, 450, NaN])).toEqual({ from: 1, to: 1000 });
  expect(decadesAround([])).toEqual({ from: 1, to: 10 });
  const axis = decadeAxis('FLOP/s', { from: 1e9, to: 1e15 }, rateText, 34)(240);
  expect(axis.ticks.map(({ text }) => text)).toEqual([
    '1 G',
    '10 G',
    '100 G',
    '1 T',
    '10 T',
    '100 T',
    '1 P',
  ]);
  expect(axis.scale.share(1e12)).toBeCloseTo(0.5);
  expect([0.01, 1, 1e4, 1e5].map(intensityText)).toEqual(['0.01', '1', '10000', '1e+5']);
});

test('a roof rises to its ridge and is flat beyond it', () => {
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
