import { expect, test } from 'vitest';

import type { Verdict } from '../../wire/generated/Verdict';
import { doFirst, isNothing, occupationOf, trendOf } from './sentence';

test('without steps, what devices do sums to the whole', () => {
  const verdicts = Object.entries({
    device_busy_ratio: 0.8,
    communication_ratio: 0.1,
    copy_ratio: 0.25,
  }).map(([key, value]) => ({ key, value }) as Verdict);
  const parts = occupationOf(verdicts);
  expect(parts.map(({ title }) => title)).toEqual(['Computing', 'Communicating', 'Copying', 'Idle']);
  expect(parts[0]?.ratio).toBeCloseTo(0.45);
  expect(parts.reduce((sum, { ratio }) => sum + ratio, 0)).toBeCloseTo(1);
  expect(occupationOf([])).toEqual([]);
});

test('the trend compares the last third with the first', () => {
  const trend = (durations: number[], outliers: number[] = []) =>
    trendOf(
      durations.map((duration_ps, at) => ({ duration_ps, is_outlier: outliers.includes(at) })),
    ).replace(/[\u202f\u00a0]/g, ' ');
  expect(trend([1, 1, 1, 1, 1])).toBe('');
  expect(trend([1, 1, 9, 1, 1], [2])).toBe('1 outlier');
  expect(trend([10, 10, 10, 10, 10, 10])).toBe('steady');
  expect(trend([10, 10, 11, 11, 12, 12])).toBe('last third 20.0 % slower than the first');
  expect(trend([10, 12, 9, 9, 8, 8])).toBe('last third 27.3 % faster than the first');
  // Steps usually are 2 from the median, so a change of 1 says nothing.
  expect(trend([8, 12, 10, 8, 12, 8, 13, 9, 11])).toBe('no trend');
  expect(trend([90, 10, 10, 10, 10, 10, 10, 50], [0, 7])).toBe('steady, 2 outliers');
});

test('a finding about the capture names its remedy', () => {
  const what = 'No steps were recorded.';
  const fix = 'Mark each step.';
  expect(doFirst({ id: 'capture_quality', title: 'Capture: no steps', what, fix })).toEqual({
    title: 'Record again: no steps',
    what: fix,
  });
  const input = { title: 'Waiting for input', what: 'Devices wait.' };
  expect(doFirst({ id: 'input_wait', fix, ...input })).toEqual(input);
});

test('costs of zero are no cards, whether they are judged or not; a bad zero is one', () => {
  const of = (verdict: Verdict['verdict'], is_larger_better: boolean, value = 0) =>
    isNothing({ value, verdict, is_larger_better });
  expect(of('good', false)).toBe(true);
  expect(of('neutral', false)).toBe(true);
  expect(of('neutral', false, 0.1)).toBe(false);
  expect(of('neutral', true)).toBe(false);
  expect(of('bad', true)).toBe(false);
});
