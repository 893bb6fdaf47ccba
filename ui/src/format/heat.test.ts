import { expect, test } from 'vitest';

import { useColor } from './heat';

test('ratios mix two colors and stay between them', () => {
  expect(useColor(0)).toBe('rgb(217 139 43)');
  expect(useColor(1)).toBe('rgb(63 127 208)');
  expect(useColor(0.5)).toBe('rgb(140 133 126)');
  expect(useColor(7)).toBe(useColor(1));
  expect(useColor(-1)).toBe(useColor(0));
});
