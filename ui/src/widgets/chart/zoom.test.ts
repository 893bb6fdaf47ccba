import { expect, test } from 'vitest';

import { figureAcross } from './axis';
import { linear, logarithmic } from './scale';
import { parseRange, rangeBetween, zoomedAxis, zoomedBy } from './zoom';

const axis = figureAcross('Point', 'count', 0, 1000);

test('a zoomed axis shows a range with labels of its own', () => {
  const shown = zoomedAxis(axis, { from: 100, to: 150 })(640);
  expect([shown.scale.share(100), shown.scale.share(125), shown.scale.share(150)]).toEqual([
    0, 0.5, 1,
  ]);
  expect(shown.scale.value(0.5)).toBeCloseTo(125);
  expect(shown.ticks.map((tick) => tick.text)).toEqual(['100', '105', '110', '115', '120', '125', '130', '135', '140', '145', '150']);
  expect(zoomedAxis(axis, null)).toBe(axis);
});

test('a range outside the axis shows all of it', () => {
  expect(zoomedAxis(axis, { from: 2000, to: 3000 })(640).scale.share(500)).toBeCloseTo(0.5);
});

test('the value below the pointer stays where it is', () => {
  const whole = linear(0, 1000);
  const first = zoomedBy(whole, null, 0.25, 'in');
  expect(first).not.toBeNull();
  const { from, to } = first!;
  expect(from + 0.25 * (to - from)).toBeCloseTo(250);
  expect(to - from).toBeCloseTo(1000 / 1.4);
  expect(zoomedBy(whole, first, 0.25, 'out')).toBeNull();
  expect(zoomedBy(whole, { from: 0, to: 900 }, 0, 'out')).toBeNull();
});

test('a drag zooms to what it covers, in either direction and on any scale', () => {
  const within = rangeBetween(linear(0, 1000), { from: 0, to: 100 }, 0.75, 0.25);
  expect(within?.from).toBeCloseTo(25);
  expect(within?.to).toBeCloseTo(75);
  const range = rangeBetween(logarithmic(1, 10_000), null, 0.25, 0.5);
  expect(range?.from).toBeCloseTo(10);
  expect(range?.to).toBeCloseTo(100);
  expect(rangeBetween(linear(0, 1000), null, -1, 2)).toBeNull();
});

test('the range in the address', () => {
  expect(parseRange('10..25.5')).toEqual({ from: 10, to: 25.5 });
  expect([parseRange('25..10'), parseRange('x..1'), parseRange(undefined)]).toEqual([null, null, null]);
});
