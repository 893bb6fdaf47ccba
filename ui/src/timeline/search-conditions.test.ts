import { expect, test } from 'vitest';

import { mapTexts, searchPattern } from './search-conditions';

test('searches ignore case unless they have capitals, and never fail', () => {
  expect(searchPattern('fusion')?.test('Loop_Fusion.1')).toBe(true);
  expect(searchPattern('Fusion')?.test('loop_fusion.1')).toBe(false);
  expect(searchPattern('f(')?.test('f(x)')).toBe(true);
  expect(searchPattern('')).toBeNull();
});

test('conditions are no part of the text', () => {
  for (const query of [
    'dot dur>1ms',
    'dur > 1 ms dot',
    'kind:copy dot scope: attn',
    'duration<=20us name:a track:TPU dot',
  ]) {
    expect(searchPattern(query)?.source, query).toBe('dot');
  }
  expect(searchPattern('dur>1ms kind:copy')).toBeNull();
  // A unit belongs to a number without one.
  expect(searchPattern('dur>1ms s')?.source).toBe('s');
  expect(searchPattern('durable a:b')?.source).toBe('durable a:b');
});

test('texts and the patterns of conditions are replaced, conditions stay', () => {
  const marked = (text: string) => (text.trim() ? `[${text.trim()}]` : text);
  expect(mapTexts('a dur>1ms name:b kind:copy c', marked)).toBe('[a] dur>1ms name:[b] kind:copy[c]');
  expect(mapTexts('no condition', marked)).toBe('[no condition]');
  expect(mapTexts('', marked)).toBe('');
});
