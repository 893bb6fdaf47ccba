import { expect, test } from 'vitest';

import {
  formatArea,
  formatRange,
  formatSliceRef,
  parseArea,
  parseRange,
  parseSliceRef,
  parseTracks,
} from './address';

test('areas survive a round trip through the URL', () => {
  for (const tracks of [null, [3], [3, 14, 15]]) {
    const area = { startPs: 123, endPs: 9_007_199_254_740_991, tracks };
    expect(parseArea(formatArea(area))).toEqual(area);
  }
});

test('slices survive a round trip through the URL', () => {
  const ref = { track: 7, lane: 0, index: 123456 };
  expect(parseSliceRef(formatSliceRef(ref))).toEqual(ref);
});

test('times are whole picoseconds', () => {
  expect(formatRange({ startPs: 0.4, endPs: 99.6 })).toBe('0..100');
});

test('invalid text is ignored', () => {
  for (const text of [undefined, '', '5', '9..1', 'a..b', '1..2..3']) {
    expect(parseRange(text)).toBeNull();
  }
  expect(parseArea('5..5')).toBeNull();
  expect(parseSliceRef('1:2')).toBeNull();
  expect(parseTracks('1,x,,3')).toEqual([1, 3]);
});
