import { expect, test } from 'vitest';

import { CLASS_COLOURS, CLASS_TITLES, classColour, partColour, PARTS, textOn } from './palette';

test('every class and part has a colour and a title', () => {
  expect(Object.keys(CLASS_TITLES)).toEqual(Object.keys(CLASS_COLOURS));
  for (const colour of [...Object.values(CLASS_COLOURS), ...PARTS.map((part) => part.colour)]) {
    expect(colour).toMatch(/^#[0-9a-f]{6}([0-9a-f]{2})?$/);
  }
  expect(classColour('nothing known')).toBe(CLASS_COLOURS.host);
  expect(partColour('input_wait')).toBe(CLASS_COLOURS.input);
});

test('red is for problems only', () => {
  for (const colour of Object.values(CLASS_COLOURS)) {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
      parseInt(colour.slice(at, at + 2), 16),
    );
    expect(red > 1.9 * green && red > 1.9 * blue).toBe(false);
  }
});

test('text on a colour contrasts', () => {
  expect(textOn('#ffffff')).toBe('#111418');
  expect(textOn('#000000')).toBe('#ffffff');
});
