import { expect, test } from 'vitest';

import { tabByKey } from './keys';

test('keys move from tab to tab and wrap around', () => {
  expect(tabByKey(3, 0, 'ArrowRight')).toBe(1);
  expect(tabByKey(3, 2, 'ArrowRight')).toBe(0);
  expect(tabByKey(3, 0, 'ArrowLeft')).toBe(2);
  expect([tabByKey(3, 1, 'Home'), tabByKey(3, 1, 'End')]).toEqual([0, 2]);
  expect(tabByKey(3, 1, 'ArrowDown')).toBeNull();
  expect(tabByKey(0, 0, 'ArrowRight')).toBeNull();
  // Shift+→ is a key of the timeline, whose tabs keep the focus after a click.
  expect(tabByKey(3, 0, 'ArrowRight', true)).toBeNull();
});
