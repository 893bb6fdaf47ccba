import { expect, test } from 'vitest';

import { addingOf, betterOf } from '../../compare/change';
import { compareRows, pairRows } from '../../compare/pairing';
import { matchingOf } from '../../compare/matching';
import { TABLES } from '../../wire/generated/tables';
import { figureOf } from '../figures';
import { changeIn } from './changes';
import { declared, declaredColumn, type TableName } from './declared';

const column = (table: TableName, key: string) =>
  declaredColumn<Record<string, number>>(table, {
    key,
    width: 90,
    value: (row) => row[key] ?? null,
  });

/** The change from the same figure in the baseline, which is scaled by the ratio of steps. */
function change(table: TableName, key: string, stepRatio: number) {
  const rows = [{ [key]: 100 }];
  const found = pairRows(
    rows,
    [{ [key]: 100 }],
    compareRows((all: typeof rows) => all, { identity: () => 'the row' }),
    { ...matchingOf(undefined), stepRatio },
  );
  return changeIn(found, rows[0]!, column(table, key));
}

test.each([
  ['steps.rows', 'busy_ps'],
  ['steps.rows', 'idle_ps'],
  ['collectives.steps', 'exposed_ps'],
  ['collectives.rows', 'bytes'],
  ['collectives.rows', 'mean_ps'],
  ['ops.rows', 'bytes'],
  ['regions.rows', 'step_ps'],
  ['kernels.rows', 'mean_ps'],
] as const)('%s.%s of sessions of 10 and 20 steps is the same', (table, key) => {
  expect(change(table, key, 2)?.difference).toBe(0);
});

test.each([
  ['ops.rows', 'self_ps'],
  ['collectives.rows', 'exposed_ps'],
  ['idle.devices', 'idle_ps'],
  ['kernels.rows', 'occurrences'],
  ['scopes.rows', 'flops'],
] as const)('%s.%s adds up over the steps', (table, key) => {
  expect(change(table, key, 1)?.difference).toBe(0);
  expect(change(table, key, 0.5)?.difference).toBe(50);
});

test('memory adds up over rows and less of it is better', () => {
  const bytes = column('heap.rows', 'bytes');
  expect(addingOf(bytes)).toBe('over_rows');
  expect(betterOf(bytes)).toBe('less');
});

test('what is declared is not repeated', () => {
  const [self] = declared<{ self_ps: number }>('ops.rows', [
    { key: 'self_ps', width: 90, value: (row) => row.self_ps },
  ]);
  expect(self).toMatchObject({ title: 'Self', kind: 'duration', figure: 'ops.rows.self_ps' });
  expect(() => declared('ops.rows', [{ key: 'gone', width: 90, value: () => null }])).toThrow();
  const twice = { key: 'self_ps', title: 'Own', width: 90, value: () => null };
  expect(() => declared('ops.rows', [twice])).toThrow();
});

test('every column has its own meaning', () => {
  for (const [table, columns] of Object.entries(TABLES)) {
    for (const key of Object.keys(columns)) {
      expect(figureOf(`${table}.${key}`)?.definition, `${table}.${key}`).toBeTruthy();
    }
  }
  expect(figureOf('kernels.streams.gap_ps')?.definition).not.toBe(
    figureOf('idle.rows.duration_ps')?.definition,
  );
});

test('every figure that a page refers to has a meaning', () => {
  const sources = import.meta.glob<string>('../../**/*.tsx', {
    eager: true,
    query: '?raw',
    import: 'default',
  });
  const pattern = /(?:data-figure|figure)(?:=|: )\{?['"]([\w.]+)['"]/g;
  const names = Object.values(sources).flatMap((text) =>
    [...text.matchAll(pattern)].map((match) => match[1]!),
  );
  expect(names.length).toBeGreaterThan(100);
  const dotted = names.filter((name) => name.includes('.'));
  expect(dotted.filter((name) => !figureOf(name))).toEqual([]);
});
