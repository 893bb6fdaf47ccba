import { expect, test } from 'vitest';

import { placeOfError } from './error-place';

const marked = (message: string, query: string) => {
  const place = placeOfError(message, query);
  return place && query.slice(place.from, place.to);
};

test.each([
  ['sql parser error: Expected: end of statement, found: frm at Line: 1, Column: 10', 'select * frm ops', 'frm'],
  ['sql parser error: Expected: X, found: ) at Line: 2, Column: 3', 'select a\n  ) from ops', ')'],
  ['sql parser error: Expected: an expression, found: EOF', 'select a from ops where (\n', '('],
  ["No field named nme. Did you mean 'ops.name'?", 'select nme from ops', 'nme'],
  ["No field named o.nme. Valid fields are o.name.", 'select o.nme from ops o', 'nme'],
  ["table 'opss' not found", 'select * from opss', 'opss'],
  ["Invalid function 'summ'", 'select summ(a) from ops', 'summ'],
])('%s', (message, query, word) => {
  expect(marked(message, query)).toBe(word);
});

test('a message without a place marks nothing', () => {
  expect(placeOfError('out of memory', 'select 1')).toBeNull();
  expect(placeOfError('No field named x.', 'select 1')).toBeNull();
});
