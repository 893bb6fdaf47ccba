import { describe, expect, test } from 'vitest';

import { alignSteps, anchorsOf, offsetFor, reversed } from './align';

const numbered = (...steps: number[]) => steps.map((step) => ({ step }));
const timed = (first: number, startPs: number, lengths: number[]) => {
  let at = startPs;
  return lengths.map((length, index) => {
    const step = { step: first + index, start_ps: at, end_ps: at + length };
    at += length;
    return step;
  });
};

test('steps align by number if they share numbers, otherwise in order', () => {
  expect(alignSteps(numbered(3, 4, 5), numbered(4, 5, 6))).toEqual([-1, 0, 1]);
  expect(alignSteps(numbered(0, 1, 2), numbered(100, 101))).toEqual([0, 1, -1]);
  expect(alignSteps(numbered(), numbered(1))).toEqual([]);
});

describe('the shift between two timelines', () => {
  const anchors = anchorsOf(timed(0, 1000, [100, 100, 100]), timed(0, 0, [150, 150, 150]));

  test('is that of the first step that starts in the window', () => {
    expect(offsetFor(anchors, 1000, 1300)).toBe(-1000);
    expect(offsetFor(anchors, 1090, 1300)).toBe(-950);
    expect(offsetFor(anchors, 1200, 1300)).toBe(-900);
  });

  test('is that of the step around a window within it', () => {
    expect(offsetFor(anchors, 1130, 1140)).toBe(-950);
    expect(offsetFor(anchors, 2000, 2010)).toBe(-900);
    expect(offsetFor(anchors, 0, 10)).toBe(-1000);
  });

  test('goes both ways', () => {
    const back = reversed(anchors);
    expect(offsetFor(back, 0, 450)).toBe(1000);
    expect(offsetFor(back, 300, 400)).toBe(900);
  });

  test('is 0 without steps', () => {
    expect(offsetFor([], 0, 10)).toBe(0);
  });
});
