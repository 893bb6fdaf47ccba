import { expect, test } from 'vitest';

import { isProblem } from './warnings';

test('what was repaired or not recorded is a note, lost data a problem', () => {
  const kinds = ['unread', 'damaged', 'truncated', 'recorder', 'repaired', 'missing'];
  expect(kinds.filter((kind) => isProblem({ kind }))).toEqual([
    'unread',
    'damaged',
    'truncated',
    'recorder',
  ]);
});
