import { expect, test } from 'vitest';

import type { RooflineRow } from '../../wire/generated/RooflineRow';
import { formatBox, parseBox, rowsWithin } from './box';

const row = (name: string, intensity: number | null, rate: number | null) =>
  ({ name, intensity, flop_rate: rate }) as RooflineRow;

test('keeps the ops whose point is inside, edges included', () => {
  const rows = [row('a', 1, 1e9), row('b', 10, 1e12), row('c', 0.5, 1e9), row('d', null, 1e9)];
  const box = parseBox('1..10,1e9..1e12');
  expect(box).not.toBeNull();
  expect(rowsWithin(rows, box!, (each) => each.intensity).map(({ name }) => name)).toEqual(['a', 'b']);
});

test('the address keeps the box', () => {
  const box = { intensity: { from: 0.123456, to: 7 }, rate: { from: 1e9, to: 2.34567e12 } };
  expect(formatBox(box)).toBe('0.1235..7,1000000000..2346000000000');
  expect(parseBox(formatBox(box))).toEqual({
    intensity: { from: 0.1235, to: 7 },
    rate: { from: 1e9, to: 2.346e12 },
  });
  expect([parseBox('1..2'), parseBox(undefined), parseBox('2..1,3..4')]).toEqual([null, null, null]);
});
