import { expect, test } from 'vitest';

import { nextOf } from './next';

const called = (...ids: string[]) => ids.map((id) => ({ id }));

test('the next findings are those about the program', () => {
  const all = called('idle', 'capture_quality', 'host_transfers', 'input_wait', 'host_bound');
  expect(nextOf(all).map(({ id }) => id)).toEqual(['host_transfers', 'input_wait']);
  expect(nextOf(called('idle'))).toEqual([]);
  expect(nextOf(called('idle', 'capture_quality'))).toEqual([]);
});
