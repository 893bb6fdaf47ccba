import { expect, test } from 'vitest';

import type { SearchReport } from '../wire/generated/SearchReport';
import { plainSearch, searchedAsText } from './plain-search';

const REPORT = { match_count: 3, names: [], slices: [] } as unknown as SearchReport;

test('texts are escaped, conditions stay', () => {
  expect(plainSearch('jit(f dur>1ms kind:copy')).toBe('jit\\(f dur>1ms kind:copy');
  expect(plainSearch('name:a[ scope:')).toBe('name:a\\[ scope:');
  expect(plainSearch('dur > 1.5 ms f( scope: a(b')).toBe('dur > 1.5 ms f\\( scope: a\\(b');
});

test('an invalid pattern is searched for as text, with the message of all searches', async () => {
  const asked: string[] = [];
  const ask = (query: string) => Promise.resolve((asked.push(query), REPORT));
  const error = new Error('invalid regular expression (unclosed group): jit(f');
  const answer = await searchedAsText('jit(f', error, ask);
  expect(asked).toEqual(['jit\\(f']);
  expect(answer.match_count).toBe(3);
  expect(answer.remark).toBe(
    'Invalid regular expression: unterminated group. Searched for as plain text.',
  );
  const ahead = new Error('invalid regular expression (look-around is not supported): a(?=b)');
  expect((await searchedAsText('a(?=b)', ahead, ask)).remark).toBe(
    'Invalid regular expression: look-around is not supported. Searched for as plain text.',
  );
});

test('what the browser rejects is not sent as a pattern', async () => {
  const asked: string[] = [];
  const ask = (query: string) => Promise.resolve((asked.push(query), REPORT));
  expect((await searchedAsText('jit(f', null, ask)).remark).toMatch(/unterminated group/);
  expect(asked).toEqual(['jit\\(f']);
});

test('other errors stay errors', async () => {
  const ask = () => Promise.resolve(REPORT);
  const error = new Error('dur> requires a length');
  await expect(searchedAsText('dur>x', error, ask)).rejects.toBe(error);
});
