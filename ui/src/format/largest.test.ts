import { expect, test } from 'vitest';

import { largest, largestRows } from './largest';

test('the largest of more rows than a call has arguments', () => {
  const rows = Array.from({ length: 500_000 }, (_, index) => index);
  expect(largest(rows, (row) => row)).toBe(499_999);
  expect(largest([], () => 5)).toBe(1);
});

test('the largest rows keep their order', () => {
  const rows = [3, 9, 1, 7, 9];
  expect(largestRows(rows, 3, (row) => row)).toEqual([9, 7, 9]);
  expect(largestRows(rows, 5, (row) => row)).toBe(rows);
  // Without figures, the first ones.
  expect(largestRows(rows, 2, () => 0)).toEqual([3, 9]);
});
