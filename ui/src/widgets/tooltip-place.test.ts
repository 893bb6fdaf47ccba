import { expect, test } from 'vitest';

import { placeTip } from './tooltip-place';

const PAGE = { width: 1000, height: 800 };
const TIP = { width: 300, height: 100 };
const box = (left: number, top: number, width: number, height: number) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

test('a tooltip lies below its element, or above it at the bottom of the page', () => {
  expect(placeTip(box(100, 100, 80, 20), TIP, PAGE)).toEqual({ left: 100, top: 126 });
  expect(placeTip(box(100, 760, 80, 20), TIP, PAGE)).toEqual({ left: 100, top: 654 });
  expect(placeTip(box(900, 100, 80, 20), TIP, PAGE)).toEqual({ left: 692, top: 126 });
});

test('beside an element that takes the height of the page', () => {
  expect(placeTip(box(100, 20, 200, 760), TIP, PAGE)).toEqual({ left: 306, top: 20 });
  expect(placeTip(box(700, 20, 290, 760), TIP, PAGE)).toEqual({ left: 394, top: 20 });
});

test('to the right where that is asked for', () => {
  expect(placeTip(box(10, 100, 150, 24), TIP, PAGE, true)).toEqual({ left: 166, top: 100 });
});
