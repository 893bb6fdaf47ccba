import { expect, test } from 'vitest';

import { withUnits } from './units';

test.each([
  ['waits for 46.12 ms.', 'waits for 46.12_ms.'],
  ['(+32.8 % to +297.2 %), more', '(+32.8_% to +297.2_%), more'],
  ['holds 4.250 MiB at its peak, 1.808 s', 'holds 4.250_MiB at its peak, 1.808_s'],
  ['2 steps of 4 devices, 3 seconds', '2 steps of 4 devices, 3 seconds'],
])('%s', (sentence, glued) => {
  expect(withUnits(sentence).replaceAll('\u00a0', '_')).toBe(glued);
});
