import { describe, expect, test } from 'vitest';

import {
  filterRows,
  formatSort,
  hasValues,
  isAscending,
  nextSort,
  nextSortWithChange,
  parseSort,
  plainKey,
  sortRows,
  toCsv,
  toMarkdown,
  type Column,
} from './rows';

interface Row {
  name: string;
  self_ps: number | null;
}
const columns: Column<Row>[] = [
  { key: 'name', title: 'Op', width: 100, value: (row) => row.name },
  { key: 'self_ps', title: 'Self', width: 80, kind: 'duration', value: (row) => row.self_ps },
];
const rows: Row[] = [
  { name: 'fusion.10', self_ps: 5 },
  { name: 'fusion.9', self_ps: null },
  { name: 'dot.1', self_ps: 70 },
  { name: 'Copy, "slow"', self_ps: 5 },
];
const names = (list: Row[]) => list.map((row) => row.name);

describe('sorting', () => {
  test('largest first, equal rows in their order, missing last', () => {
    expect(names(sortRows(rows, columns, parseSort('self_ps')))).toEqual([
      'dot.1',
      'fusion.10',
      'Copy, "slow"',
      'fusion.9',
    ]);
  });
  test('smallest first, missing still last', () => {
    expect(names(sortRows(rows, columns, parseSort('-self_ps')))).toEqual([
      'fusion.10',
      'Copy, "slow"',
      'dot.1',
      'fusion.9',
    ]);
  });
  test('numbers in names count as numbers', () => {
    expect(names(sortRows(rows, columns, parseSort('name')))).toEqual([
      'Copy, "slow"',
      'dot.1',
      'fusion.9',
      'fusion.10',
    ]);
  });
  test('an unknown column changes nothing', () => {
    expect(sortRows(rows, columns, parseSort('nothing'))).toEqual(rows);
    expect(sortRows(rows, columns, null)).toEqual(rows);
  });
  test('the notation of the command line', () => {
    expect(formatSort({ key: 'self_ps', isReversed: true })).toBe('-self_ps');
    expect(parseSort('-self_ps')).toEqual({ key: 'self_ps', isReversed: true });
    expect(parseSort(undefined)).toBeNull();
  });
  test('a click sorts figures from the largest, texts from A; a second click reverses', () => {
    const [name, self] = columns as [Column<Row>, Column<Row>];
    expect(isAscending(nextSort(null, self), self)).toBe(false);
    expect(isAscending(nextSort(null, name), name)).toBe(true);
    const again = nextSort(nextSort(null, self), self);
    expect(isAscending(again, self)).toBe(true);
    expect(isAscending(nextSort(again, self), self)).toBe(false);
  });
});

describe('filtering', () => {
  test('ignores case unless the query has capitals', () => {
    expect(names(filterRows(rows, columns, 'copy'))).toEqual(['Copy, "slow"']);
    expect(names(filterRows(rows, columns, 'Fusion'))).toEqual([]);
  });
  test('by a regular expression, or by the literal text if it is not one', () => {
    expect(names(filterRows(rows, columns, '^(dot|fusion\\.9)'))).toEqual(['fusion.9', 'dot.1']);
    expect(filterRows(rows, columns, '')).toHaveLength(4);
  });
});

test('CSV contains raw values and quotes them where needed', () => {
  expect(toCsv(rows.slice(1), columns)).toBe(
    'name,self_ps\nfusion.9,\ndot.1,70\n"Copy, ""slow""",5\n',
  );
});

test('Markdown escapes what would end a cell', () => {
  const columns = [
    { title: 'Op', isNumber: false },
    { title: 'Self, ms', isNumber: true },
  ];
  expect(toMarkdown(columns, [['a|b\nc', '1.5']])).toBe(
    '| Op | Self, ms |\n|---|---:|\n| a\\|b c | 1.5 |\n',
  );
});

test('hasValues', () => {
  expect(hasValues(rows.slice(1, 2), columns[1] as Column<Row>)).toBe(false);
  expect(hasValues(rows, columns[1] as Column<Row>)).toBe(true);
});

test('with changes, a header cycles through value and change, each in both orders', () => {
  const column: Column<{ a: number }> = {
    key: 'self_ps',
    title: 'Self',
    width: 90,
    kind: 'duration',
    value: (row) => row.a,
  };
  const seen: string[] = [];
  let sort = nextSortWithChange(null, column);
  for (let count = 0; count < 5; count++) {
    seen.push(formatSort(sort));
    sort = nextSortWithChange(sort, column);
  }
  expect(seen).toEqual(['self_ps', '-self_ps', 'self_ps.change', '-self_ps.change', 'self_ps']);
  expect(plainKey('self_ps.change')).toBe('self_ps');
});
