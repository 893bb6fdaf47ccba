import { expect, test } from 'vitest';

import { cutOf } from './distribution';

const at = (gap: number) => (index: number) => index * gap;

test('the times of cut steps are written where they cover neither each other nor an arrow', () => {
  // The last one has no room on the right.
  expect(cutOf([9, 1, 1, 1, 8], 5, at(100), 420)).toEqual([
    { index: 0, ps: 9, side: 'right' },
    { index: 4, ps: 8, side: 'left' },
  ]);
  // The arrow of the other is within the name of the first, which begins at the edge.
  expect(cutOf([9, 1, 8], 5, at(20), 420)).toEqual([
    { index: 0, ps: 9, side: null },
    { index: 2, ps: 8, side: 'right' },
  ]);
});

test('of many cut steps, only the longest is named, and steps within the axis are none', () => {
  expect(cutOf([6, 9, 7, 8], 5, at(100), 420).map(({ side }) => side !== null)).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(cutOf([1, 5], 5, at(100), 420)).toEqual([]);
});
