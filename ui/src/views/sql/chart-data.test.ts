import { expect, test } from 'vitest';

import type { SqlReport } from '../../wire/generated/SqlReport';
import { chartColumns, choiceOf, linesOf, piecesOf, pointsOf, type Choice } from './chart-data';

function report(columns: Record<string, string>, rows: SqlReport['rows']): SqlReport {
  return {
    sessions: [],
    columns: Object.entries(columns).map(([key, unit]) => ({ key, unit, is_fractional: false })),
    rows,
    row_count: rows.length,
    remarks: [],
  };
}

const suited = (found: SqlReport, chosen = {}) => choiceOf(chartColumns(found), chosen);

test('named rows are bars of their first figure, times before counts', () => {
  const ops = report({ session: 'text', name: 'text', occurrences: 'count', self_ps: 'ps' }, [
    ['a', 'dot', 3, 10],
    ['b', 'dot', 3, 20],
    ['a', 'add', 1, 5],
    ['a', 'mul', 1, 5],
  ]);
  expect(suited(ops)).toEqual({ form: 'bar', x: 'name', y: 'self_ps', color: 'session' });
});

test('rows along steps or times are lines, one per session', () => {
  const steps = report({ session: 'text', step: 'count', start_ps: 'ps', duration_ps: 'ps' }, [
    ['a', 1, 5, 10],
    ['a', 0, 0, 30],
    ['b', 0, 0, 20],
  ]);
  const choice = suited(steps) as Choice;
  expect(choice).toEqual({ form: 'line', x: 'step', y: 'duration_ps', color: 'session' });
  const found = pointsOf(steps, chartColumns(steps), choice);
  expect(found.series).toEqual(['a', 'b']);
  expect(linesOf(found).map((line) => line.map(({ row }) => row))).toEqual([[1, 0], [2]]);
});

test('two figures are a scatter; a scatter of names becomes bars', () => {
  const two = report({ flops: 'FLOP', self_ps: 'ps' }, [[1, 2]]);
  expect(suited(two)).toMatchObject({ form: 'scatter', x: 'self_ps', y: 'flops' });
  const named = report({ name: 'text', self_ps: 'ps' }, [['a', 2]]);
  expect(suited(named, { form: 'scatter', x: 'name' })).toMatchObject({ form: 'bar', x: 'name' });
});

test('without a figure there is no chart, and an unknown choice is ignored', () => {
  expect(suited(report({ name: 'text' }, [['a']]))).toBeNull();
  const named = report({ name: 'text', self_ps: 'ps' }, [['a', 2]]);
  expect(suited(named, { form: 'pie', x: 'gone', y: 'name' })).toEqual({
    form: 'bar',
    x: 'name',
    y: 'self_ps',
    color: '',
  });
});

test('rows of one name are pieces of one bar, and rows without a value are counted', () => {
  const parts = report({ name: 'text', session: 'text', self_ps: 'ps' }, [
    ['dot', 'a', 10],
    ['add', 'a', 1],
    ['dot', 'b', 5],
    ['dot', 'b', -2],
    ['mul', 'a', null],
  ]);
  const choice: Choice = { form: 'bar', x: 'name', y: 'self_ps', color: 'session' };
  const found = pointsOf(parts, chartColumns(parts), choice);
  expect(found.labels).toEqual(['dot', 'add']);
  expect(found.missingCount).toBe(1);
  expect(piecesOf(found, 10).map(({ row, from, to }) => [row, from, to])).toEqual([
    [0, 0, 10],
    [2, 10, 15],
    [3, 0, -2],
    [1, 0, 1],
  ]);
  expect(piecesOf(found, 1).map(({ row }) => row)).toEqual([0, 2, 3]);
});
