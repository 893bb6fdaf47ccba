import { describe, expect, it } from 'vitest';

import { closest, holdingIndex, moveByKey, nearestIndex, readoutPlace, slotIndex } from './points';

describe('points', () => {
  it('are found by the nearest place', () => {
    const values = [0, 400, 900];
    expect([-5, 199, 201, 700, 5000].map((at) => nearestIndex(values, at))).toEqual([
      0, 0, 1, 2, 2,
    ]);
    expect(nearestIndex([], 5)).toBeNull();
    const places = [
      { x: 0, y: 0 },
      { x: 10, y: 0 },
    ];
    expect(closest(places, { x: 8, y: 3 }, 5)).toBe(1);
    expect(closest(places, { x: 5, y: 30 }, 5)).toBeNull();
  });

  it('hold their value until the next', () => {
    expect([50, 100, 250, 900].map((at) => holdingIndex([100, 200, 300], at))).toEqual([
      -1, 0, 1, 2,
    ]);
  });

  it('fill slots', () => {
    expect([-1, 0, 99, 100].map((x) => slotIndex(10, x, 100))).toEqual([null, 0, 9, null]);
    expect(slotIndex(0, 5, 100)).toBeNull();
  });
});

describe('keys', () => {
  const go = (rows: number[], at: number | null, ...keys: string[]) =>
    keys.reduce<number | null>((now, key) => moveByKey(rows, now, key), at);

  it('start at the first or last point', () => {
    expect(go([10], null, 'ArrowRight')).toBe(0);
    expect(go([10], null, 'End')).toBe(9);
    expect(go([], null, 'ArrowRight')).toBeNull();
    expect(go([10], 3, 'a')).toBeNull();
  });

  it('move along one row and stop at its ends', () => {
    expect(go([10], 3, 'ArrowRight', 'ArrowUp')).toBe(5);
    expect(go([10], 0, 'ArrowLeft', 'ArrowDown')).toBe(0);
    expect(go([10], 4, 'End', 'ArrowRight')).toBe(9);
    expect(go([10], 4, 'Home')).toBe(0);
    expect(go([100], 4, 'PageDown')).toBe(14);
  });

  it('keep the position from row to row', () => {
    expect(go([10, 10, 10], null, 'ArrowDown', 'ArrowDown', 'ArrowDown')).toBe(20);
    expect(go([10, 10, 10], 13, 'ArrowUp')).toBe(3);
    expect(go([3, 2], 2, 'ArrowDown')).toBe(4);
    expect(go([3, 0, 2], 1, 'ArrowDown')).toBe(4);
    expect(go([3, 0, 2], 4, 'ArrowUp', 'ArrowUp')).toBe(1);
    expect(go([3, 2], 3, 'ArrowLeft')).toBe(3);
  });
});

it('a readout is next to its point and inside the chart', () => {
  const outer = { width: 300, height: 100 };
  const box = { width: 80, height: 40 };
  expect(readoutPlace({ x: 100, y: 50 }, box, outer)).toEqual({ x: 112, y: 30 });
  expect(readoutPlace({ x: 280, y: 50 }, box, outer)).toEqual({ x: 188, y: 30 });
  expect(readoutPlace({ x: 100, y: 5 }, box, outer).y).toBe(0);
  expect(readoutPlace({ x: 100, y: 99 }, box, outer).y).toBe(60);
});
