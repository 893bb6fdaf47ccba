import { expect, test } from 'vitest';

import { parsePattern, patternError, patternOf } from './pattern';

test('ignores case unless the query has capitals', () => {
  expect(parsePattern('fusion').test('Fusion.3')).toBe(true);
  expect(parsePattern('Fusion').test('fusion.3')).toBe(false);
});

test('an invalid expression is searched for as text, with one readable line about why', () => {
  const pattern = parsePattern('jit(f');
  expect(pattern.test('jit(f)/add')).toBe(true);
  expect(pattern.error).toBe(
    'Invalid regular expression: unterminated group. Searched for as plain text.',
  );
  expect(patternError('a[')).toMatch(/^Invalid regular expression: [a-z][^\n/]*\. Searched/);
  expect(patternError('*')).toMatch(/nothing to repeat/);
});

test('escapes that the server accepts are not errors', () => {
  expect(patternError('all\\-reduce')).toBe('');
  expect(parsePattern('all\\-reduce').test('all-reduce.3')).toBe(true);
  expect(patternError('')).toBe('');
});

test('what the server gets is always a regular expression', () => {
  expect(patternOf('dot|conv')).toBe('dot|conv');
  expect(patternOf('jit(f')).toBe('jit\\(f');
});
