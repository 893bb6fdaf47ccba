import { expect, test } from 'vitest';

import { canGroup, linesOf, sumOf, totalOf, type Line } from './groups';
import { parseSort, sortRows, type Column } from './rows';

interface Row {
  name: string;
  kind: string;
  self: number;
}
const NAME: Column<Row> = { key: 'name', title: 'Op', width: 90, value: (row) => row.name };
const KIND: Column<Row> = { key: 'kind', title: 'Kind', width: 90, value: (row) => row.kind };
const SELF: Column<Row> = {
  key: 'self_ps',
  title: 'Self',
  width: 90,
  kind: 'duration',
  adds: 'over_steps',
  value: (row) => row.self,
};
const ROWS: Row[] = [
  { name: 'a', kind: 'copy', self: 5 },
  { name: 'b', kind: 'fusion', self: 4 },
  { name: 'c', kind: 'fusion', self: 3 },
  { name: 'd', kind: '', self: 9 },
];
const outline = (lines: Line<Row>[]) =>
  lines.map((line) =>
    'row' in line ? line.row.name : `${line.group.name || '–'} (${line.group.rows.length})`,
  );
const grouped = (sortText: string, open: string[] = []) => {
  const sort = parseSort(sortText);
  const column = [NAME, KIND, SELF].find(({ key }) => key === sort?.key);
  const sorted = sortRows(ROWS, [NAME, KIND, SELF], sort);
  return outline(linesOf(sorted, KIND, column, sort, (name) => open.includes(name)));
};

test('a row of several groups is in each, with its own line', () => {
  const tags: Column<Row> = {
    ...KIND,
    groupsOf: ({ kind, name }) => (kind === 'fusion' ? ['fused', name] : []),
  };
  const line = new Map(ROWS.map((row) => [row, { row }]));
  const lines = linesOf(ROWS, tags, undefined, null, () => true, (row) => line.get(row)!);
  expect(outline(lines)).toEqual([
    'copy (1)',
    'a',
    'fused (2)',
    'b',
    'c',
    'b (1)',
    'b',
    'c (1)',
    'c',
    '– (1)',
    'd',
  ]);
  expect(new Set(lines).size).toBe(lines.length);
});

test('groups come in the order of their sums, rows without a value last', () => {
  expect(grouped('self_ps')).toEqual(['fusion (2)', 'copy (1)', '– (1)']);
  expect(grouped('-self_ps')).toEqual(['copy (1)', 'fusion (2)', '– (1)']);
  expect(grouped('kind')).toEqual(['copy (1)', 'fusion (2)', '– (1)']);
});

test('an open group shows its rows in their order', () => {
  expect(grouped('self_ps', ['fusion'])).toEqual(['fusion (2)', 'b', 'c', 'copy (1)', '– (1)']);
});

test('without a column there are no groups', () => {
  expect(outline(linesOf(ROWS, undefined, undefined, null, () => false))).toEqual(['a', 'b', 'c', 'd']);
});

test('only what adds up is summed', () => {
  expect(sumOf(SELF, ROWS)).toBe(21);
  expect(sumOf({ ...SELF, adds: 'no' }, ROWS)).toBeNull();
  expect(sumOf({ ...SELF, kind: 'ratio', title: 'Share', adds: 'no' }, ROWS)).toBe(21);
  const share = { ...SELF, key: 'self_ratio', kind: 'ratio' as const, title: 'Of ops', adds: 'no' as const };
  expect(sumOf(share, ROWS)).toBe(21);
  // Totals contain each other, and a share of a peak is of no total.
  expect(sumOf({ ...share, key: 'ratio' }, ROWS)).toBeNull();
  expect(sumOf({ ...share, title: 'Of roofline' }, ROWS)).toBeNull();
  expect(sumOf(SELF, [])).toBeNull();
  expect([canGroup(KIND), canGroup(SELF)]).toEqual([true, false]);
});

test('the total of a group reads each figure once and knows the largest', () => {
  let reads = 0;
  const counted: Column<Row> = { ...SELF, value: (row) => ((reads += 1), row.self) };
  expect(totalOf(counted, ROWS)).toEqual({ sum: 21, largest: ROWS[3] });
  expect(reads).toBe(ROWS.length);
  expect(totalOf(SELF, [])).toBeNull();
  expect(totalOf(NAME, ROWS)).toBeNull();
});
