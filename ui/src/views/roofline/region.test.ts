import { expect, test } from 'vitest';

import type { RooflineRow } from '../../wire/generated/RooflineRow';
import { formatRegion, parseRegion, rowsWithin } from './region';

const row = (name: string, intensity: number | null, rate: number | null) =>
  ({ name, intensity, flop_rate: rate }) as RooflineRow;
const within = (rows: RooflineRow[], params: { box?: string; lasso?: string }) =>
  rowsWithin(rows, parseRegion(params)!, (each) => each.intensity).map(({ name }) => name);

test('a rectangle keeps the ops whose point is inside, edges included', () => {
  const rows = [row('a', 1, 1e9), row('b', 10, 1e12), row('c', 0.5, 1e9), row('d', null, 1e9)];
  expect(within(rows, { box: '1..10,1e9..1e12' })).toEqual(['a', 'b']);
});

test('a lasso keeps the ops that it goes around on logarithmic axes', () => {
  // A triangle; its hypotenuse goes through intensity 10 at rate 1e10, the middle of both axes.
  const lasso = '1,1e8;100,1e8;100,1e12';
  const rows = [
    row('below', 10, 9e9),
    row('above', 10, 1.1e10),
    row('left', 0.9, 2e8),
    row('none', 50, null),
    row('idle', 0, 0),
  ];
  expect(within(rows, { lasso })).toEqual(['below']);
});

test('the address keeps a rectangle and a lasso', () => {
  const box = {
    shape: 'rectangle',
    intensity: { from: 0.123456, to: 7 },
    rate: { from: 1e9, to: 2.34567e12 },
  } as const;
  expect(formatRegion(box)).toEqual({ box: '0.1235..7,1e9..2.346e12', lasso: null });
  expect(parseRegion({ box: '0.1235..7,1000000000..2346000000000' })).toEqual({
    shape: 'rectangle',
    intensity: { from: 0.1235, to: 7 },
    rate: { from: 1e9, to: 2.346e12 },
  });
  const corners = [
    { intensity: 0.5, rate: 2e9 },
    { intensity: 16.25, rate: 2e9 },
    { intensity: 4, rate: 3.5e11 },
  ];
  const params = formatRegion({ shape: 'lasso', corners });
  expect(params).toEqual({ box: null, lasso: '0.5,2e9;16.25,2e9;4,3.5e11' });
  expect(parseRegion({ lasso: params.lasso! })).toEqual({ shape: 'lasso', corners });
  expect(formatRegion(null)).toEqual({ box: null, lasso: null });
});

test.each([
  {},
  { box: '1..2' },
  { box: '2..1,3..4' },
  { lasso: '1,2;3,4' },
  { lasso: '1,2;3,4;5' },
  { lasso: '1,2;3,4;0,4' },
])('an address that means no region has none: %j', (params) => {
  expect(parseRegion(params)).toBeNull();
});
