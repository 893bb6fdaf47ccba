import { expect, test } from 'vitest';

import { largest } from './largest';

test('the largest of more rows than a call has arguments', () => {
  const rows = Array.from({ length: 500_000 }, (_, index) => index);
  expect(largest(rows, (row) => row)).toBe(499_999);
  expect(largest([], () => 5)).toBe(1);
});
