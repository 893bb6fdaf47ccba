import { expect, it } from 'vitest';

import { byName } from './search-names';

const name = (label: number, text: string, count: number, total_ps: number, kind = 'copy') => ({
  label,
  name: text,
  class: kind,
  count,
  total_ps,
});

it('labels of one name and class are one row, which may move up', () => {
  const found = byName([
    name(1, 'copy-done', 4, 70),
    name(2, 'async-copy', 1, 60),
    name(3, 'async-copy', 2, 41),
    name(4, 'async-copy', 1, 9, 'host'),
  ]);
  expect(found).toEqual([
    name(2, 'async-copy', 3, 101),
    name(1, 'copy-done', 4, 70),
    name(4, 'async-copy', 1, 9, 'host'),
  ]);
});
