import { expect, test } from 'vitest';

import { encloses, simplified } from './lasso';

const places = (...pairs: [number, number][]) => pairs.map(([x, y]) => ({ x, y }));

test('places near the line between corners are left out', () => {
  const path = places([0, 0], [5, 1], [10, 0], [10, 5], [9, 10], [10, 20]);
  expect(simplified(path, 2)).toEqual(places([0, 0], [10, 0], [10, 20]));
  expect(simplified(path, 0.5)).toEqual(path.filter(({ y }) => y !== 5));
  expect(simplified(places([3, 4]), 2)).toEqual(places([3, 4]));
  // A loop that ends where it began keeps its farthest place.
  expect(simplified(places([0, 0], [8, 0], [0, 0]), 2)).toEqual(places([0, 0], [8, 0], [0, 0]));
});

test('a line encloses what it goes around, in either direction', () => {
  const corner = places([0, 0], [10, 0], [10, 10], [5, 5], [0, 10]);
  for (const line of [corner, [...corner].reverse()]) {
    expect(encloses(line, { x: 5, y: 2 })).toBe(true);
    expect(encloses(line, { x: 9, y: 8 })).toBe(true);
    // In the notch, and outside.
    expect(encloses(line, { x: 5, y: 8 })).toBe(false);
    expect(encloses(line, { x: 11, y: 5 })).toBe(false);
    expect(encloses(line, { x: -1, y: 5 })).toBe(false);
  }
  // A figure of eight has two loops of opposite directions.
  const eight = places([0, 0], [10, 10], [10, 0], [0, 10]);
  expect(encloses(eight, { x: 1, y: 5 })).toBe(true);
  expect(encloses(eight, { x: 9, y: 5 })).toBe(true);
  expect(encloses(eight, { x: 5, y: 1 })).toBe(false);
  expect(encloses([], { x: 5, y: 1 })).toBe(false);
});
