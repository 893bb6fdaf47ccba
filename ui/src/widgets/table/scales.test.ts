import { expect, test } from 'vitest';

import type { Column } from './rows';
import { areSame, scalesOf } from './scales';

interface Row {
  name: string;
  min: number;
  max: number;
  start: number;
}
const time = (key: 'min' | 'max' | 'start', more: Partial<Column<Row>> = {}): Column<Row> => ({
  key,
  title: key,
  width: 80,
  kind: 'duration',
  value: (row) => row[key],
  ...more,
});
const COLUMNS = [
  { key: 'name', title: 'Name', width: 80, value: (row: Row) => row.name },
  time('min', { scale: 'one' }),
  time('max', { scale: 'one' }),
  time('start', { better: 'incomparable' }),
];
const row = (min: number, max: number, start = 0): Row => ({ name: 'a', min, max, start });
const space = '\u202f';

test('one unit per column while the values are of similar size', () => {
  const scale = scalesOf(COLUMNS, [row(2e9, 40e9), row(1e9, 900e9)]).get('min');
  expect([scale?.isOwn, scale?.shared.unit]).toEqual([false, 'ms']);
  expect(scale?.of(row(2e9, 40e9)).text(2e9)).toBe('2.00');
});

test('one unit per row of statistics when the column spans more than a thousand', () => {
  const rows = [row(2e6, 4e6), row(1e9, 9e12)];
  const scale = scalesOf(COLUMNS, rows).get('min');
  expect([scale?.isOwn, scale?.shared.unit]).toEqual([true, '']);
  const [first, second] = rows as [Row, Row];
  expect(scale?.of(first).text(first.min)).toBe(`2.000${space}µs`);
  expect(scale?.of(first).text(first.max)).toBe(`4.000${space}µs`);
  // A figure that would vanish in the unit of its row has its own.
  expect(scale?.of(second).text(1e9)).toBe(`0.001${space}s`);
  expect(scale?.of(second).text(1e6)).toBe(`1.000${space}µs`);
  expect(scale?.of(second).text(0)).toBe('0');
});

test('no figure of a row reads as zero in the unit of its largest', () => {
  const rows = [row(1.46e6, 376e9), row(885, 2.5e3)];
  const scale = scalesOf(COLUMNS, rows).get('min');
  expect(scale?.of(rows[0]!).text(376e9)).toBe(`376.00${space}ms`);
  expect(scale?.of(rows[0]!).text(1.46e6)).toBe(`1.460${space}µs`);
});

test('positions in time keep one unit', () => {
  const scale = scalesOf(COLUMNS, [row(1, 1, 5e3), row(1, 1, 9e12)]).get('start');
  expect(scale?.isOwn).toBe(false);
});

test('other values of the same size are written the same way', () => {
  const of = (...rows: Row[]) => scalesOf(COLUMNS, rows);
  expect(areSame(of(row(2e9, 40e9)), of(row(3e9, 41e9), row(1e9, 2e9)))).toBe(true);
  expect(areSame(of(row(2e9, 40e9)), of(row(2e9, 400e9)))).toBe(false);
  expect(areSame(of(row(2e6, 4e6)), of(row(2e6, 4e6), row(1e9, 9e12)))).toBe(false);
});
