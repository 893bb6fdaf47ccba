import { expect, test } from 'vitest';

import { formatLimit } from './limit';

test.each([
  [1e6, '1 µs'],
  [1e10, '10 ms'],
  [1e11, '100 ms'],
  [1.5e9, '1.5 ms'],
  [1.234e9, '1.234 ms'],
  [500, '500 ps'],
  [null, '–'],
])('the limit %d', (ps, text) => {
  expect(formatLimit(ps).replace('\u202f', ' ')).toBe(text);
});
