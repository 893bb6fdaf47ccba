import { expect, test } from 'vitest';

import type { SqlReport } from '../wire/generated/SqlReport';
import { hasIntervals, intervalsOf, nameOfQuery } from './intervals';

const report = (
  columns: readonly [key: string, unit: string][],
  rows: SqlReport['rows'],
): SqlReport => ({
  sessions: [
    { name: 'monday', key: 'm' },
    { name: 'tuesday', key: 't' },
  ],
  columns: columns.map(([key, unit]) => ({ key, unit, is_fractional: false })),
  rows,
  row_count: rows.length,
  remarks: [],
});

test('rows are intervals if they say when they began and how long they took', () => {
  const times: [string, string][] = [
    ['start_ps', 'ps'],
    ['duration_ps', 'ps'],
  ];
  expect(hasIntervals(report(times, []))).toBe(true);
  expect(hasIntervals(report(times.slice(0, 1), []))).toBe(false);
  expect(intervalsOf(report(times.slice(0, 1), [[1]]), 'm')).toBeNull();
});

test('rows of other sessions and without a time are left out; the cells of a row stay its own', () => {
  const found = intervalsOf(
    report(
      [
        ['session', 'text'],
        ['device', 'text'],
        ['op', 'text'],
        ['start_ps', 'ps'],
        ['end_ps', 'ps'],
        ['bytes', 'bytes'],
      ],
      [
        ['tuesday', 'TPU:0', 'dot.1', 5, 7, 1],
        ['monday', 'TPU:0', 'dot.2', 10, 30, 2048],
        ['monday', 'TPU:0', 'dot.3', null, 30, 1],
      ],
    ),
    'm',
  );
  expect(found?.all).toEqual([{ startPs: 10, durationPs: 20, name: 'dot.2', className: '' }]);
  expect(found?.leftOut).toBe(2);
  const facts = found?.factsOf(0).map(({ name, value }) => [name, value.replace(/\s/g, ' ')]);
  expect(facts).toContainEqual(['op', 'dot.2']);
  expect(facts).toContainEqual(['bytes', '2.000 KiB']);
  expect(facts).toContainEqual(['start_ps', '10']);
});

test('a query is called by its first line, also by a comment', () => {
  expect(nameOfQuery('\nselect name\nfrom ops')).toBe('select name');
  expect(nameOfQuery('-- Slow gaps\nselect 1')).toBe('Slow gaps');
});
