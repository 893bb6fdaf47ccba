import { describe, expect, test } from 'vitest';

import { unitSize } from '../../format/quantity';
import { parseFilter, unknownField, type FilterColumn } from './filter';

interface Row {
  name: string;
  self: number | null;
  share: number;
  bytes: number;
  times: number;
}
const COLUMNS: FilterColumn<Row>[] = [
  { key: 'name', title: 'Op', value: (row) => row.name },
  { key: 'self_ps', title: 'Self', kind: 'duration', value: (row) => row.self, size: 1e9 },
  { key: 'self_ratio', title: 'Share', kind: 'ratio', value: (row) => row.share, size: 0.01 },
  { key: 'bytes', title: 'Bytes accessed', kind: 'bytes', value: (row) => row.bytes },
  { key: 'times_expected', title: 'Times expected', kind: 'count', value: (row) => row.times, size: 1 },
];
const ROWS: Row[] = [
  { name: 'fusion.1', self: 5e9, share: 0.5, bytes: 2048, times: 1 },
  { name: 'fusion.2', self: 1e9, share: 0.1, bytes: 64 * 1024 ** 2, times: 3 },
  { name: 'copy.1[axes=0]', self: null, share: 0.05, bytes: 0, times: 2.5 },
];
const found = (query: string) => {
  const { test: accepts } = parseFilter(query, COLUMNS);
  return ROWS.filter((row) => !accepts || accepts(row)).map((row) => row.name);
};
const errorOf = (query: string) => parseFilter(query, COLUMNS).error;

describe('conditions on numbers', () => {
  test('with units, and without in the unit of the column', () => {
    expect(found('self > 1ms')).toEqual(['fusion.1']);
    expect(found('self>1ms')).toEqual(['fusion.1']);
    expect(found('self>=1 ms')).toEqual(['fusion.1', 'fusion.2']);
    expect(found('self > 4000us')).toEqual(['fusion.1']);
    expect(found('self > 2')).toEqual(['fusion.1']);
    expect(found('share >= 10%')).toEqual(['fusion.1', 'fusion.2']);
    expect(found('share < 10')).toEqual(['copy.1[axes=0]']);
    expect(found('bytes >= 64MiB')).toEqual(['fusion.2']);
    expect(found('bytes = 0')).toEqual(['copy.1[axes=0]']);
    expect(found('times_expected != 1')).toEqual(['fusion.2', 'copy.1[axes=0]']);
  });
  test('columns by key, by key without its unit, and by title of several words', () => {
    expect(found('self_ps > 1ms')).toEqual(['fusion.1']);
    expect(found('Times expected > 2')).toEqual(['fusion.2', 'copy.1[axes=0]']);
    expect(found('bytes accessed < 1kB')).toEqual(['copy.1[axes=0]']);
  });
  test('shares by that word, whatever they are shares of', () => {
    const rowsOf = (query: string, columns: FilterColumn<Row>[]) => {
      const { test: accepts } = parseFilter(query, columns);
      return ROWS.filter((row) => accepts?.(row)).map((row) => row.name);
    };
    const columns = COLUMNS.map((column) =>
      column.key === 'self_ratio' ? { ...column, title: 'Of ops' } : column,
    );
    for (const query of ['share >= 10%', 'of ops >= 10%', 'share of ops >= 10%']) {
      expect(rowsOf(query, columns), query).toEqual(['fusion.1', 'fusion.2']);
    }
    // A column of that very name comes first.
    const other = { key: 'part', title: 'Of all', kind: 'ratio' as const, value: () => 1, size: 0.01 };
    expect(rowsOf('share >= 10%', [other, ...COLUMNS])).toEqual(['fusion.1', 'fusion.2']);
    expect(rowsOf('part >= 10%', [other, ...COLUMNS])).toHaveLength(3);
  });
  test('several, and with text before or after', () => {
    expect(found('self > 0 share < 20%')).toEqual(['fusion.2']);
    expect(found('self > 0 and share < 20%')).toEqual(['fusion.2']);
    expect(found('fusion share < 20%')).toEqual(['fusion.2']);
    expect(found('share < 20% copy|dot')).toEqual(['copy.1[axes=0]']);
    expect(found('times > 1 fusion')).toEqual(['fusion.1', 'fusion.2']);
    expect(found('self >= 1 fusion')).toEqual(['fusion.1', 'fusion.2']);
    expect(parseFilter('self > 1 fusion', COLUMNS).text).toBe('fusion');
  });
  test('missing figures satisfy no condition', () => {
    expect(found('self < 1s')).toEqual(['fusion.1', 'fusion.2']);
    expect(found('self != 1')).toEqual(['fusion.1']);
  });
});

describe('text', () => {
  test('an equals sign within a text stays text', () => {
    expect(found('axes=0')).toEqual(['copy.1[axes=0]']);
    expect(found('(?<kind>copy)')).toEqual(['copy.1[axes=0]']);
    expect(errorOf('axes=0')).toBe('');
  });
  test('of one column', () => {
    const columns: FilterColumn<{ name: string; category: string }>[] = [
      { key: 'name', title: 'Op', value: (row) => row.name },
      { key: 'category', title: 'Category', value: (row) => row.category },
    ];
    const rows = [
      { name: 'loop.1', category: 'copy' },
      { name: 'add.TPU:0', category: 'loop fusion' },
    ];
    const names = (query: string) =>
      rows.filter((row) => parseFilter(query, columns).test?.(row) ?? true).map(({ name }) => name);
    expect(names('loop')).toEqual(['loop.1', 'add.TPU:0']);
    expect(names('category:loop')).toEqual(['add.TPU:0']);
    expect(names('category:Loop')).toEqual([]);
    expect(names('op:loop')).toEqual(['loop.1']);
    expect(names('add category:^loop')).toEqual(['add.TPU:0']);
    expect(parseFilter('category:(', columns).error).toMatch(/^Invalid regular expression/);
    // Other colons are text.
    expect(names('TPU:0')).toEqual(['add.TPU:0']);
    expect(names('devices:TPU')).toEqual([]);
    expect(unknownField('devices:TPU', columns)).toBe(
      'Unknown column “devices”. Columns with text: Op, Category.',
    );
    for (const query of ['TPU:0', 'a.py:7', 'std::sort', 'category:x', 'x']) {
      expect(unknownField(query, columns), query).toBe('');
    }
  });
  test('nothing to filter accepts all', () => {
    expect(parseFilter('', COLUMNS).test).toBeNull();
  });
});

describe('errors say what is wrong and what to write', () => {
  test('an unknown column', () => {
    expect(errorOf('slef > 1ms')).toBe(
      'Unknown column “slef”. Columns with numbers: Self, Share, Bytes accessed, Times expected.',
    );
    expect(found('slef > 1ms')).toHaveLength(3);
  });
  test('a wrong or a missing unit', () => {
    expect(errorOf('self > 1GB')).toBe('“GB” is not a unit of Self. Write it like self > 1ms.');
    expect(errorOf('bytes > 5')).toBe(
      'Bytes accessed needs a unit, such as bytes accessed > 64MiB.',
    );
  });
  test('no number', () => {
    expect(errorOf('self > abc')).toBe('“abc” is not a number. Write it like self > 1ms.');
    expect(errorOf('self >')).toBe('Self is compared with a number, such as self > 1ms.');
    expect(found('self > abc')).toHaveLength(3);
    expect(found('self > abc copy')).toEqual(['copy.1[axes=0]']);
    expect(errorOf('a -> b')).toBe('');
  });
  test('an invalid regular expression', () => {
    expect(errorOf('self > 1ms jit(')).toMatch(/^Invalid regular expression: unterminated group/);
  });
});

test('units as people type them', () => {
  expect(unitSize('duration', 'µs')).toBe(1e6);
  expect(unitSize('duration', 'MS')).toBe(1e9);
  expect(unitSize('bytes', 'KiB')).toBe(1024);
  expect(unitSize('bytes', 'GB')).toBe(1e9);
  expect(unitSize('bytes', 'ib')).toBeNull();
  expect(unitSize('bandwidth', 'GB/s')).toBe(1e9);
  expect(unitSize('flop_rate', 'TFLOP/s')).toBe(1e12);
  expect(unitSize('flop_rate', 'T')).toBe(1e12);
  expect(unitSize('count', 'k')).toBe(1000);
  expect(unitSize('ratio', 'ms')).toBeNull();
});
