import { expect, test } from 'vitest';

import { CLASS_COLORS, CLASS_TITLES, classColor, partColor, PARTS, textOn } from './palette';

test('every class and part has a color and a title', () => {
  expect(Object.keys(CLASS_TITLES)).toEqual(Object.keys(CLASS_COLORS));
  for (const color of [...Object.values(CLASS_COLORS), ...PARTS.map((part) => part.color)]) {
    expect(color).toMatch(/^#[0-9a-f]{6}([0-9a-f]{2})?$/);
  }
  expect(classColor('nothing known')).toBe(CLASS_COLORS.host);
  expect(partColor('input_wait')).toBe(CLASS_COLORS.input);
});

test('red is for problems only', () => {
  for (const color of Object.values(CLASS_COLORS)) {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
      parseInt(color.slice(at, at + 2), 16),
    );
    expect(red > 1.9 * green && red > 1.9 * blue).toBe(false);
  }
});

test('text on a color contrasts', () => {
  expect(textOn('#ffffff')).toBe('#111418');
  expect(textOn('#000000')).toBe('#ffffff');
});
