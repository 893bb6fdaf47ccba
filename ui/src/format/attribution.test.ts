import { expect, test } from 'vitest';

import { attributionText, categoryText } from './attribution';

test('ways are spelled out in order, and unknown ones stay as they are', () => {
  expect(attributionText('recorded')).toBe('recorded');
  expect(attributionText('recorded, by_order')).toBe(
    'recorded, the order of the program’s ops (inferred)',
  );
  expect(attributionText('by_magic')).toBe('by_magic');
});

test('a category is marked only where it was inferred', () => {
  expect(categoryText('loop fusion', 'inferred')).toBe('loop fusion (inferred)');
  expect(categoryText('loop fusion', 'hlo')).toBe('loop fusion');
  expect(categoryText('', 'inferred')).toBe('');
});
