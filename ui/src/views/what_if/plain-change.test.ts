import { expect, test } from 'vitest';

import { plainChange } from './plain-change';

test.each([
  ['remove:^copy\\-done\\.5$', 'remove:copy-done.5'],
  ['remove:^jit_f\\(12\\)::copy\\-start$', 'remove:jit_f(12)::copy-start'],
  ['scale:^dot\\.3$:0.5', 'scale:dot.3:0.5'],
  ['remove:^dot.*$', 'remove:^dot.*$'],
  ['remove:dot', 'remove:dot'],
  ['remove:copies', 'remove:copies'],
  ['network:2', 'network:2'],
  ['no-input-wait', 'no-input-wait'],
])('%s is shown as %s', (change, plain) => {
  expect(plainChange(change)).toBe(plain);
});
