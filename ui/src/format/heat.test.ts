import { expect, test } from 'vitest';

import { useColour } from './heat';

test('ratios mix two colours and stay between them', () => {
  expect(useColour(0)).toBe('rgb(217 139 43)');
  expect(useColour(1)).toBe('rgb(63 127 208)');
  expect(useColour(0.5)).toBe('rgb(140 133 126)');
  expect(useColour(7)).toBe(useColour(1));
  expect(useColour(-1)).toBe(useColour(0));
});
