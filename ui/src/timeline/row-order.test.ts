import { describe, expect, test } from 'vitest';

import { arranged, movedBefore, orderBetween, slotAt } from './row-order';

const same = (key: string) => key;
const USUAL = [...'abcdef'];

describe('arranged', () => {
  test('named items take each other’s places, all others stay', () => {
    expect(arranged(USUAL, same, ['d', 'b']).join('')).toBe('adcbef');
    expect(arranged(USUAL, same, []).join('')).toBe('abcdef');
  });

  test('what is not there is ignored', () => {
    expect(arranged(USUAL, same, ['x', 'c', 'y', 'a']).join('')).toBe('cbadef');
  });
});

test('every move is kept as the items that changed places', () => {
  for (const from of USUAL) {
    for (const anchor of [...USUAL, undefined]) {
      if (anchor === from) continue;
      const wanted = movedBefore(USUAL, [from], anchor);
      expect([...wanted].sort()).toEqual(USUAL);
      const order = orderBetween(USUAL, wanted);
      expect(arranged(USUAL, same, order)).toEqual(wanted);
      // Only those between the two places have moved.
      const ends = [USUAL.indexOf(from), anchor ? USUAL.indexOf(anchor) : USUAL.length];
      expect(order.length).toBeLessThanOrEqual(Math.abs(ends[0]! - ends[1]!) + 1);
    }
  }
});

test('a merged track moves with its threads', () => {
  expect(movedBefore(USUAL, ['c', 'd'], 'a').join('')).toBe('cdabef');
  expect(movedBefore(USUAL, ['a', 'c'], undefined).join('')).toBe('bdefac');
});

test('a row is dropped between the middles of others', () => {
  const rows = [
    { y: 0, height: 10 },
    { y: 10, height: 30 },
    { y: 40, height: 10 },
  ];
  expect([0, 6, 24, 26, 46, 99].map((y) => slotAt(rows, y))).toEqual([0, 1, 1, 2, 3, 3]);
});
