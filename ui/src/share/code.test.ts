import { expect, test } from 'vitest';

import { linked, namesIn } from './code';

const CODE = 'import{a}from`stepscope-code:first`;import{b}from"stepscope-code:later";a(b,"stepscope-code:first")';

test('a file names those that it needs once each', () => {
  expect(namesIn(CODE)).toEqual(['first', 'later']);
  expect(namesIn('a()')).toEqual([]);
});

test('names become URLs', () => {
  const urls = new Map([
    ['first', 'blob:1'],
    ['later', 'blob:2'],
  ]);
  expect(linked(CODE, urls)).toBe('import{a}from`blob:1`;import{b}from"blob:2";a(b,"blob:1")');
});
