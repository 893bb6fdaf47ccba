import { describe, expect, test } from 'vitest';

import type { CheckedBudget } from '../../wire/generated/CheckedBudget';
import { placesOf } from './rows';

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
