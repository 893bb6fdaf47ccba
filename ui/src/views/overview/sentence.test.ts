import { expect, test } from 'vitest';

import type { StepPart } from '../../wire/generated/StepPart';
import type { Verdict } from '../../wire/generated/Verdict';
import { occupationOf, sentenceOf, sharesOf, trendOf } from './sentence';

const words = (parts: Partial<Record<StepPart['part'], number>>) =>
  sentenceOf(
    sharesOf(
      Object.entries(parts).map(([part, ratio]) => ({ part: part as StepPart['part'], ratio })),
    ),
    'a step',
  ).replaceAll('\u202f', ' ');

test('the sentence names the largest parts, and always computing', () => {
  expect(words({ device_compute: 0.023, collectives: 0.739, input_wait: 0.202, idle: 0.021 })).toBe(
    'Devices spend 73.9 % of a step communicating and 20.2 % waiting for input; they compute for 2.3 %.',
  );
  expect(words({ device_compute: 0.778, host_overhead: 0.025, idle: 0.197 })).toBe(
    'Devices spend 77.8 % of a step computing and 19.7 % idle without a recorded cause.',
  );
  expect(words({ device_compute: 1 })).toBe('Devices spend 100.0 % of a step computing.');
  expect(words({ collectives: 1 })).toBe(
    'Devices spend 100.0 % of a step communicating; they compute for 0.0 %.',
  );
  expect(words({})).toBe('');
});

test('copies in all directions are one', () => {
  expect(words({ device_compute: 0.031, host_to_device: 0.737, device_to_host: 0.232 })).toBe(
    'Devices spend 96.9 % of a step copying; they compute for 3.1 %.',
  );
});

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
  expect(trendOf([1, 1, 1, 1, 1])).toBe('');
  expect(trendOf([10, 10, 10, 10, 10, 10])).toBe('steady');
  expect(trendOf([10, 10, 11, 11, 12, 12]).replaceAll('\u202f', ' ')).toBe(
    'last third 20.0 % slower than the first',
  );
  expect(trendOf([10, 12, 9, 9, 8, 8]).replaceAll('\u202f', ' ')).toBe(
    'last third 27.3 % faster than the first',
  );
});
