import { expect, test } from 'vitest';

import { areaPath, bandPath, linePath, stepPath } from './paths';

const places = [0, 40, 20].map((y, index) => ({ x: index * 100, y }));

test('lines have gaps where points are missing', () => {
  expect(linePath(places)).toBe('M0,0L100,40L200,20');
  expect(linePath([places[0]!, null, places[2]!])).toBe('M0,0M200,20');
});

test('values hold until the next point', () => {
  expect(stepPath(places)).toBe('M0,0H100V40H200V20');
  expect(stepPath(places, 300)).toBe('M0,0H100V40H200V20H300');
  expect(stepPath([], 300)).toBe('');
});

test('areas are closed at the bottom, bands between their lines', () => {
  expect(areaPath(stepPath(places), 0, 80)).toBe('M0,0H100V40H200V20V80H0Z');
  expect(areaPath('', 0, 80)).toBe('');
  expect(bandPath(places.slice(0, 2), places.slice(1))).toBe('M0,0L100,40L200,20L100,40Z');
});
