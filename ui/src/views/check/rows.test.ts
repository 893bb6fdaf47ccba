import { describe, expect, test } from 'vitest';

import type { CheckedBudget } from '../../wire/generated/CheckedBudget';
import { boundsOf, placesOf } from './rows';

const row = (value: number | null, limit: number | null, low: number | null, high: number | null) =>
  ({ value, limit, low, high }) as CheckedBudget;

describe('the bar of a budget', () => {
  test('ends a little beyond the largest of value, limit and interval', () => {
    const places = placesOf(row(10, 5, 8, 20));
    expect(places?.high).toBeCloseTo(1 / 1.05);
    expect(places?.value).toBeCloseTo(10 / 21);
    expect(places?.limit).toBeCloseTo(5 / 21);
    expect(places?.low).toBeCloseTo(8 / 21);
  });

  test('extends the interval to the edge where an end is unknown', () => {
    expect(placesOf(row(10, 5, null, null))).toMatchObject({ low: 0, high: 1 });
    expect(placesOf(row(10, 5, -3, 12))?.low).toBe(0);
  });

  test('is missing if the budget cannot be checked', () => {
    expect(placesOf(row(null, 5, null, null))).toBeNull();
    expect(placesOf(row(10, null, null, null))).toBeNull();
    expect(placesOf(row(0, 0, 0, 0))).toEqual({ value: 0, limit: 0, low: 0, high: 0 });
  });
});

describe('bounds for a session without a baseline', () => {
  const change = (more: Partial<CheckedBudget>) =>
    ({
      verdict: 'unknown',
      is_better_higher: false,
      budget: 'step_time=+2%',
      metric: 'step_time',
      unit: 'picos',
      value: 48_251_084_400,
      ...more,
    }) as CheckedBudget;

  test('are what it has, rounded up', () => {
    const memory = { budget: 'memory_peak=+1%', metric: 'memory_peak', unit: 'bytes', value: 3672104 };
    const count = { budget: 'compilation_count=+0', metric: 'compilation_count', unit: 'count', value: 0 };
    const rows = [{}, memory, count].map((more) => change(more as Partial<CheckedBudget>));
    expect(boundsOf(rows)).toBe('step_time<=48.26ms, memory_peak<=3.502MiB, compilation_count<=0');
    expect(boundsOf([change({ value: 123_456_789_000_000 })])).toBe('step_time<=123500ms');
    expect(boundsOf([change({ value: 12_345 })])).toBe('step_time<=0.00001235ms');
    const bytes = (value: number) => boundsOf([change({ ...memory, value } as Partial<CheckedBudget>)]);
    expect(bytes(0)).toBe('memory_peak<=0B');
    expect(bytes(1000)).toBe('memory_peak<=1000B');
    expect(bytes(6_210_111_488)).toBe('memory_peak<=5.784GiB');
  });

  test('are missing where a budget was checked, is a bound, or has no figure', () => {
    expect(boundsOf([change({ verdict: 'passed' })])).toBe('');
    expect(boundsOf([change({ budget: 'step_time<=1ms' })])).toBe('');
    expect(boundsOf([change({ value: null })])).toBe('');
  });
});
