import { expect, test } from 'vitest';

import { shortTitles } from './color-titles';

test('scopes in the line of colors differ, although they begin alike', () => {
  const short = shortTitles([
    'jit(train_step)/transpose(jvp(layers))/while/body/eval_jaxpr/attention',
    'jit(train_step)/transpose(jvp(layers))/while/body/eval_jaxpr/mlp',
    'jit(train_step)/optimizer/sub',
  ]);
  expect(short[2]).toBe('optimizer/sub');
  expect(new Set(short).size).toBe(3);
  expect(short[0]).toMatch(/^transpose.*attention$/);
  expect(short.every((title) => title.length <= 27)).toBe(true);
});

test('titles that are alike when they are cut begin where they differ', () => {
  const short = shortTitles([
    'jit(f)/transpose(jvp(layers))/while/body/checkpoint/attention',
    'jit(f)/transpose(jvp(layers))/while/body/remat/attention',
    'jit(f)/optimizer/sub',
  ]);
  expect(short).toEqual(['…/checkpoint/attention', '…/remat/attention', 'optimizer/sub']);
});

test('one title, and titles that share nothing, stay', () => {
  expect(shortTitles(['jit(f)/layer'])).toEqual(['jit(f)/layer']);
  expect(shortTitles(['Copy', 'Matmul'])).toEqual(['Copy', 'Matmul']);
  expect(shortTitles(['a/b', 'a'])).toEqual(['a/b', 'a']);
  expect(shortTitles([])).toEqual([]);
});
