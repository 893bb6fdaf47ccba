import { expect, test } from 'vitest';

import { withoutWarmUp } from './source';

test('steps that warm up are named', () => {
  expect(withoutWarmUp()).toBe('');
  expect(withoutWarmUp([])).toBe('');
  expect(withoutWarmUp([0])).toBe('; without step 0, which compiles');
  expect(withoutWarmUp([5, 6])).toBe('; without steps 5 and 6, which compile');
});
