import { expect, test } from 'vitest';

import { parsePast, withQuery } from './history';

test('a query that ran before moves to the front, and the oldest are dropped', () => {
  const two = withQuery(withQuery([], 'a', 1), 'b', 2);
  expect(withQuery(two, 'a', 3)).toEqual([
    { query: 'a', atEpochMs: 3 },
    { query: 'b', atEpochMs: 2 },
  ]);
  const many = Array.from({ length: 150 }, (_, at) => at).reduce(
    (list, at) => withQuery(list, String(at), at),
    two,
  );
  expect(many).toHaveLength(100);
  expect(many[0]?.query).toBe('149');
});

test('whatever else the browser kept is left out', () => {
  expect(parsePast('[{"query":"a","atEpochMs":1},{"query":2},null]')).toEqual([
    { query: 'a', atEpochMs: 1 },
  ]);
  expect(parsePast('{')).toEqual([]);
  expect(parsePast('{}')).toEqual([]);
  expect(parsePast(null)).toEqual([]);
});
