import { expect, test } from 'vitest';

import { matchingOf } from '../../compare/matching';
import { compareRows, pairRows } from '../../compare/pairing';
import { changeColumns, changeIn, exportColumns, ownColumns } from './changes';
import { sortRows, toCsv, type Column } from './rows';

interface Row {
  name: string;
  self_ps: number;
  mean_ps: number;
}

const COLUMNS: Column<Row>[] = [
  { key: 'name', title: 'Name', width: 100, value: (row) => row.name },
  {
    key: 'self_ps',
    title: 'Self',
    width: 90,
    kind: 'duration',
    adds: 'over_steps',
    better: 'less',
    value: (row) => row.self_ps,
  },
  {
    key: 'mean_ps',
    title: 'Mean',
    width: 90,
    kind: 'duration',
    better: 'less',
    value: (row) => row.mean_ps,
  },
];

const ROWS: Row[] = [
  { name: 'a', self_ps: 100, mean_ps: 10 },
  { name: 'b', self_ps: 300, mean_ps: 30 },
  { name: 'new', self_ps: 50, mean_ps: 50 },
];
const BASELINE: Row[] = [
  { name: 'a', self_ps: 200, mean_ps: 20 },
  { name: 'b', self_ps: 200, mean_ps: 20 },
  { name: 'gone', self_ps: 70, mean_ps: 70 },
];

const pairs = (stepRatio = 1) =>
  pairRows(
    ROWS,
    BASELINE,
    compareRows((rows: Row[]) => rows, { identity: (row: Row) => row.name }),
    { ...matchingOf(undefined), stepRatio },
  );

test('figures are compared with the same row; sums also if a row is new or gone', () => {
  const found = pairs();
  const of = (row: Row, column: number) => changeIn(found, row, COLUMNS[column]!)?.difference;
  expect([of(ROWS[0]!, 1), of(ROWS[1]!, 1), of(ROWS[2]!, 1)]).toEqual([-100, 100, 50]);
  expect(of(found.gone[0]!, 1)).toBe(-70);
  expect(of(ROWS[2]!, 2)).toBeUndefined();
  expect(of(found.gone[0]!, 2)).toBeUndefined();
});

test('sums are scaled to the same number of steps, means are not', () => {
  const found = pairs(0.5);
  expect(changeIn(found, ROWS[0]!, COLUMNS[1]!)?.difference).toBe(0);
  expect(changeIn(found, ROWS[0]!, COLUMNS[2]!)?.difference).toBe(-10);
});

test('rows sort by their change, including those that are only in the baseline', () => {
  const found = pairs();
  const columns = [...ownColumns(found, COLUMNS), ...changeColumns(found, COLUMNS)];
  const names = (key: string) =>
    sortRows([...ROWS, ...found.gone], columns, { key, isReversed: false }).map((row) => row.name);
  expect(names('self_ps.change')).toEqual(['b', 'new', 'gone', 'a']);
  expect(names('self_ps')).toEqual(['b', 'a', 'new', 'gone']);
});

test('files have the baseline next to every figure', () => {
  const found = pairs();
  const text = toCsv([...ROWS, ...found.gone], exportColumns(found, COLUMNS));
  expect(text.split('\n').slice(0, 5)).toEqual([
    'name,self_ps,self_ps.baseline,mean_ps,mean_ps.baseline',
    'a,100,200,10,20',
    'b,300,200,30,20',
    'new,50,,50,',
    'gone,,70,,70',
  ]);
});
