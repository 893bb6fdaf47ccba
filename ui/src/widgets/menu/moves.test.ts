import { expect, test } from 'vitest';

import { choiceAfter, choiceCalled, placeMenu, tidied, type MenuEntry } from './moves';

const run = () => undefined;
const ENTRIES: MenuEntry[] = [
  { heading: 'Slice' },
  { title: 'Zoom here', run },
  { title: 'Pin', run, isDisabled: true },
  'separator',
  { title: 'Copy name', run },
  { title: 'Copy link', run },
];

test('keys move over what can be chosen and wrap around', () => {
  expect(choiceAfter(ENTRIES, -1, 'ArrowDown')).toBe(1);
  expect(choiceAfter(ENTRIES, 1, 'ArrowDown')).toBe(4);
  expect(choiceAfter(ENTRIES, 5, 'ArrowDown')).toBe(1);
  expect(choiceAfter(ENTRIES, 1, 'ArrowUp')).toBe(5);
  expect(choiceAfter(ENTRIES, 4, 'Home')).toBe(1);
  expect(choiceAfter(ENTRIES, 1, 'End')).toBe(5);
  expect(choiceAfter(['separator'], -1, 'ArrowDown')).toBe(-1);
});

test('a letter goes to the next title that starts with it', () => {
  expect(choiceCalled(ENTRIES, 1, 'c')).toBe(4);
  expect(choiceCalled(ENTRIES, 4, 'C')).toBe(5);
  expect(choiceCalled(ENTRIES, 5, 'c')).toBe(4);
  expect(choiceCalled(ENTRIES, 4, 'p')).toBe(4);
});

test('separators and headings of nothing are left out', () => {
  const copy = { title: 'Copy', run };
  expect(tidied(['separator', copy, 'separator', 'separator', copy, 'separator'])).toEqual([
    copy,
    'separator',
    copy,
  ]);
  expect(tidied([{ heading: 'Empty' }, 'separator', { heading: 'Full' }, copy])).toEqual([
    { heading: 'Full' },
    copy,
  ]);
});

test('a menu turns over at the edges and never leaves the window', () => {
  const [menu, page] = [
    { width: 200, height: 300 },
    { width: 1000, height: 800 },
  ];
  expect(placeMenu({ x: 100, y: 100 }, menu, page)).toEqual({ left: 100, top: 100 });
  expect(placeMenu({ x: 950, y: 700 }, menu, page)).toEqual({ left: 750, top: 400 });
  expect(placeMenu({ x: 390, y: 100 }, menu, { width: 390, height: 250 })).toEqual({
    left: 184,
    top: 6,
  });
});
