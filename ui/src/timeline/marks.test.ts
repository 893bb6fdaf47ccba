import { describe, expect, test } from 'vitest';

import {
  cleanText,
  formatMarks,
  LONGEST_TEXT,
  markOf,
  MOST_MARKS,
  parseMarks,
  withMark,
  withoutMark,
  type Mark,
} from './marks';

const at = (startPs: number, changes: Partial<Mark> = {}): Mark => ({
  ...markOf({ startPs, endPs: startPs + 10 }, true),
  ...changes,
});

describe('marks in a link', () => {
  test('keep text, color, track and arrows', () => {
    const marks = [
      at(5, { text: 'Why so late? ~50% of it, see #2', color: 'orange', track: 7, arrows: [1, 2] }),
      at(-20, { endPs: -20 }),
      at(90, { text: 'a_b @ c > d!', arrows: [0] }),
    ];
    expect(parseMarks(formatMarks(marks))).toEqual(marks);
  });

  test('old links still work, and only kept marks are written', () => {
    expect(parseMarks('5..15,-20')).toEqual([at(5), at(-20, { endPs: -20 })]);
    const marks = [at(1, { isKept: false }), at(5, { arrows: [0, 2] }), at(9)];
    expect(formatMarks(marks)).toBe('5..15:1,9..19');
  });

  test('hostile text stays text, without what could disguise it', () => {
    const evil = '<img src=x onerror=alert(1)>\u202Etxt.exe\u0000\n"&\'';
    const [mark] = parseMarks(formatMarks([at(1, { text: cleanText(evil) })]));
    expect(mark!.text).toBe('<img src=x onerror=alert(1)> txt.exe  "&\'');
    expect(parseMarks('5..15!~00~0a~1b')[0]!.text).toBe('   ');
  });

  test('nonsense is left out, and arrows to it end', () => {
    const text = 'x,5..15:0:2:2:99*nocolor,7..17@1*pink,1e99..2,9..1';
    expect(parseMarks(text)).toEqual([at(7, { endPs: 17, track: 1 })]);
    expect(parseMarks('x,5..15:0:2:2:99,7..17').map(({ arrows }) => arrows)).toEqual([[1], []]);
    expect(parseMarks(undefined)).toEqual([]);
  });

  test('number and length are limited', () => {
    const many = Array.from({ length: 999 }, () => '5').join(',');
    expect(parseMarks(many)).toHaveLength(MOST_MARKS);
    expect(parseMarks(`5!${'a'.repeat(9999)}`)[0]!.text).toHaveLength(LONGEST_TEXT);
    expect([...cleanText('😀'.repeat(999))]).toHaveLength(LONGEST_TEXT);
  });
});

test('arrows follow marks when one is deleted', () => {
  const marks = [at(1, { arrows: [1, 2] }), at(2, { arrows: [2] }), at(3, { arrows: [0] })];
  const left = withoutMark(marks, 1);
  expect(left.map(({ startPs, arrows }) => [startPs, arrows])).toEqual([
    [1, [1]],
    [3, [0]],
  ]);
  expect(withMark(left, 1, { text: 'x' })[1]!.text).toBe('x');
});
