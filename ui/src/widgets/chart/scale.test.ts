import { describe, expect, it } from 'vitest';

import { clamped, linear, logarithmic, rangeOf, withRoom } from './scale';

describe('scales', () => {
  it('convert values to shares and back', () => {
    const scale = linear(10, 30);
    expect([10, 20, 30, 40].map(scale.share)).toEqual([0, 0.5, 1, 1.5]);
    expect(scale.value(0.5)).toBe(20);
    expect(clamped(scale.share(40))).toBe(1);
  });

  it('work for a single value', () => {
    expect(linear(5, 5).share(5)).toBe(0);
    expect(logarithmic(5, 5).share(5)).toBe(0);
  });

  it('give equal factors equal room', () => {
    const scale = logarithmic(1, 10_000);
    expect(scale.share(100)).toBeCloseTo(0.5);
    expect(scale.value(0.25)).toBeCloseTo(10);
  });

  it('cover all values', () => {
    expect(rangeOf([3, 1, 2])).toEqual({ from: 1, to: 3 });
    expect(rangeOf([])).toBeNull();
    expect(withRoom({ from: 10, to: 20 }, 0.12)).toEqual({ from: 8.8, to: 21.2 });
    expect(withRoom({ from: 10, to: 10 }, 0.12)).toEqual({ from: 9, to: 11 });
  });
});
