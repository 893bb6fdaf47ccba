import { expect, test } from 'vitest';

import type { ComparedSession } from '../../wire/generated/ComparedSession';
import type { WaterfallBar } from '../../wire/generated/WaterfallBar';
import { axisOf, placeOf, spreadOf } from './distribution';
import { BREAK_SHARE, shareOf, viewOf, waterfallOf } from './waterfall';

const bar = (difference_ps: number, changes: Partial<WaterfallBar> = {}): WaterfallBar => ({
  kind: 'op',
  title: 'dot',
  part: 'device_compute',
  difference_ps,
  op: 0,
  evidence: 'beyond_noise',
  ...changes,
});

test('bars lead from the baseline to the session without a gap', () => {
  const { falls } = waterfallOf([bar(30), bar(-10), bar(5)], 100, 125, ['before', 'after']);
  expect(falls.map((fall) => fall.toPs)).toEqual([100, 130, 120, 125, 125]);
  expect(falls.slice(2, -1).every((fall, at) => fall.fromPs === falls[at + 1]?.toPs)).toBe(true);
});

test('many bars are summed in the last, and none is lost', () => {
  const bars = Array.from({ length: 40 }, () => bar(1, { evidence: 'within_noise' }));
  const { falls } = waterfallOf(bars, 100, 140, ['before', 'after']);
  expect(falls).toHaveLength(17);
  expect(falls[15]).toMatchObject({ title: '26 smaller causes', toPs: 140 });
  expect(falls[15]?.evidence).toBe('within_noise');
});

test('the axis starts at zero, so that bars are as long as their share', () => {
  const found = waterfallOf([bar(30), bar(-60)], 100, 70, ['before', 'after']);
  expect(found.breakPs).toBeNull();
  expect(shareOf(found, 0)).toBe(0);
  expect(shareOf(found, 130)).toBeLessThan(1);
  expect(shareOf(found, 100) / shareOf(found, 70)).toBeCloseTo(100 / 70);
});

test('where changes are small compared with the step, the axis has a break', () => {
  // The changes take 12 of 106, so what is shown after the break is 93.28 to 106.72.
  const found = waterfallOf([bar(6), bar(-12)], 100, 94, ['before', 'after']);
  expect(found.breakPs).toBeCloseTo(100 - 12 * 0.56);
  expect(found.highPs).toBeCloseTo(100 + 12 * 0.56);
  expect(shareOf(found, 0)).toBe(0);
  expect(shareOf(found, 100)).toBeCloseTo(BREAK_SHARE + (1 - BREAK_SHARE) / 2);
  const step = shareOf(found, 106) - shareOf(found, 100);
  expect(step).toBeCloseTo(((1 - BREAK_SHARE) * 6) / (12 * 1.12));
});

test('equal sessions look equal', () => {
  const equal = waterfallOf([bar(0.01)], 100, 100.01, ['before', 'after']);
  expect(shareOf(equal, 100.01) - shareOf(equal, 100)).toBeLessThan(0.02);
  expect(shareOf(waterfallOf([], 0, 0, ['before', 'after']), 0)).toBe(0);
});

test('causes link to the view that shows more', () => {
  expect(viewOf(bar(1, { kind: 'input_wait', part: 'input_wait' }))).toBe('input');
  expect(viewOf(bar(1, { kind: 'overlap', part: 'collectives' }))).toBe('collectives');
  expect(viewOf(bar(1))).toBeNull();
});

const session = (lengths: number[], outliers: number[] = []) =>
  ({
    steps: [...lengths, ...outliers].map((duration_ps, step) => ({
      step,
      duration_ps,
      is_outlier: step >= lengths.length,
    })),
  }) as unknown as ComparedSession;

test('quartiles exclude outliers, which are clamped to the end of the axis', () => {
  const one = session([10, 20, 30, 40, 50], [900]);
  expect(spreadOf(one)).toEqual({
    count: 5,
    low: 10,
    lowerQuartile: 20,
    median: 30,
    upperQuartile: 40,
    high: 50,
  });
  const axis = axisOf([one, session([60])])!;
  expect(axis.lowPs).toBeLessThan(10);
  expect(placeOf(axis, 900)).toBe(1);
  expect(placeOf(axis, 10)).toBeGreaterThan(0);
  expect(axisOf([session([])])).toBeNull();
});
