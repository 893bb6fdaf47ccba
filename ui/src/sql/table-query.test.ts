import { expect, test } from 'vitest';

import { queryOf, type ShownTable } from './table-query';

const PLAIN: ShownTable = {
  table: 'ops.rows',
  options: {},
  columns: ['name', 'self_ps'],
  texts: [
    { key: 'name', matching: null },
    { key: 'category', matching: null },
  ],
  text: '',
  conditions: [],
  sort: null,
  limit: null,
  remarks: [],
};
const query = (part: Partial<ShownTable>) => queryOf({ ...PLAIN, ...part });
const NAMES = 'select name, self_ps\n';

test('a table of a whole session has no options, whatever its limit', () => {
  expect(query({ options: { limit: 5000, by: null, match: '' } })).toBe(`${NAMES}from ops`);
});

test('options and the selection are those of the view', () => {
  expect(query({ options: { steps: '3..8', match: "it's", limit: 10 } })).toBe(
    `${NAMES}from ops('steps=3..8', 'match=it''s')`,
  );
});

test('a table that is not the first of its analysis has its own name', () => {
  expect(query({ table: 'kernels.streams', columns: ['stream'] })).toBe(
    'select stream\nfrom kernels_streams',
  );
});

test('comparisons have no tables, and what the page computes is no column', () => {
  expect(query({ table: 'compare.ops' })).toBeNull();
  expect(query({ columns: ['name', 'drawn'] })).toBe('select name\nfrom ops');
  expect(query({ columns: ['drawn'] })).toBeNull();
});

test('filter and order', () => {
  expect(
    query({
      conditions: [
        { key: 'self_ps', operator: '>', limit: 1e9 },
        { key: 'occurrences', operator: '!=', limit: 1 },
      ],
      text: 'fusion|dot',
      sort: { key: 'self_ps', isAscending: false },
    }),
  ).toBe(
    `${NAMES}from ops\nwhere self_ps > 1000000000\n  and occurrences <> 1\n` +
      "  and (regexp_like(name, 'fusion|dot', 'i') or regexp_like(category, 'fusion|dot', 'i'))\n" +
      'order by self_ps desc nulls last',
  );
});

test('a text is read as the table reads it: capitals distinguish, no expression is plain', () => {
  const only = (text: string) => query({ text, texts: [{ key: 'name', matching: null }] })?.split('\nwhere ')[1];
  expect(only('Dot')).toBe("regexp_like(name, 'Dot')");
  expect(only('dot(')).toBe("regexp_like(name, 'dot\\(', 'i')");
});

test('where the page has words of its own, the values behind them are searched for', () => {
  const texts = (matching: string[]) => [
    { key: 'name', matching: null },
    { key: 'category', matching },
  ];
  expect(query({ text: 'Wait', texts: texts(['wait', 'sync']) })).toBe(
    `${NAMES}from ops\nwhere (regexp_like(name, 'Wait') or category in ('wait', 'sync'))`,
  );
  expect(query({ text: 'Wait', texts: texts([]).slice(1) })).toBe(
    `${NAMES}from ops\nwhere false`,
  );
});

test('what SQL cannot say is said', () => {
  expect(query({ text: '(?!a)b' })).toBe(
    `-- (?!a)b cannot be searched for in SQL\n${NAMES}from ops`,
  );
  expect(query({ conditions: [{ key: 'drawn', operator: '>', limit: 1 }] })).toBe(
    `-- drawn > 1 is computed on the page\n${NAMES}from ops`,
  );
  expect(query({ remarks: ['The view shows 3 of 4 rows'] })).toBe(
    `-- The view shows 3 of 4 rows\n${NAMES}from ops`,
  );
});

test('rows that the server left out are left out, whatever the order', () => {
  expect(query({ limit: 5000, sort: { key: 'name', isAscending: true } })).toBe(
    `${NAMES}from (select * from ops limit 5000)\norder by name nulls last`,
  );
});
