import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Kind } from './numbers';
import { columnScale, format, formatDate, formatTime, MISSING, plural, pluralOf } from './numbers';

const plain = (text: string) => text.replace(/\u202f|\u00a0/g, ' ');

/** The engine's own examples: kind, value and text, separated by tabs. */
const EXAMPLES = readFileSync(
  join(import.meta.dirname, '../../../crates/analysis/src/telling/format_examples.txt'),
  'utf8',
);

describe('format picks the unit that suits the value', () => {
  const lines = EXAMPLES.split('\n').filter((line) => line && !line.startsWith('#'));
  const examples = lines.map((line) => line.split('\t') as [Kind, string, string]);

  test('as the engine does', () => {
    expect(examples.length).toBeGreaterThan(50);
    for (const [kind, value, expected] of examples) {
      expect(plain(format(kind, Number(value))), `${kind} ${value}`).toBe(expected);
    }
  });

  test('a missing value is a dash', () => {
    expect(format('duration', null)).toBe(MISSING);
    expect(format('duration', undefined)).toBe(MISSING);
    expect(format('ratio', Number.NaN)).toBe(MISSING);
  });
});

describe('columnScale fixes one unit', () => {
  test('a column of a few seconds is in milliseconds', () => {
    const scale = columnScale('duration', [3.0113e12, 55e9, 1.2e9]);
    expect(scale.unit).toBe('ms');
    expect([3.0113e12, 55e9, 1.2e9].map(scale.text)).toEqual(['3,011.3', '55.0', '1.2']);
  });

  test('an absurd rate does not set the unit', () => {
    const rates = [...Array.from({ length: 20 }, () => 1.3e12), 3.1e18];
    const scale = columnScale('bandwidth', rates);
    expect(scale.unit).toBe('TB/s');
    expect(scale.text(1.3e12)).toBe('1.3');
    expect(scale.text(3.1e18)).toBe('3.10e6');
  });

  test('the largest value sets the unit', () => {
    const scale = columnScale('duration', [1e6, 40e9, null]);
    expect(scale.unit).toBe('ms');
    expect(scale.text(40e9)).toBe('40.000');
    expect(scale.text(1e6)).toBe('0.001');
    expect(scale.text(null)).toBe(MISSING);
  });

  test('a small value does not read as zero', () => {
    const scale = columnScale('duration', [40e9]);
    expect(scale.text(10)).toBe('<0.001');
    expect(scale.text(0)).toBe('0.000');
  });

  test('whole counts have no decimals', () => {
    expect(columnScale('count', [1, 2, 30]).text(30)).toBe('30');
    expect(columnScale('ratio', [0.5]).text(0.5)).toBe('50.0');
    expect(columnScale('duration', []).text(0)).toBe('0');
  });

  test('zeros have the usual unit, and a column without values has none', () => {
    expect(columnScale('duration', [0, 0, null]).unit).toBe('ms');
    expect(columnScale('duration', [0]).text(0)).toBe('0');
    expect(columnScale('bandwidth', [0]).unit).toBe('GB/s');
    expect(columnScale('duration', [null, undefined]).unit).toBe('');
    expect(columnScale('ratio', [0]).text(0)).toBe('0.0');
  });
});

test('formatTime resolves what the axis needs', () => {
  expect(plain(formatTime(1_204_000_000_000))).toBe('1.204 s');
  expect(plain(formatTime(1_204_000_000_000, 1e6))).toBe('1.204000 s');
});

test('dates and plurals', () => {
  expect(formatDate(new Date(2026, 10, 21, 8, 46).getTime())).toBe('2026-11-21 08:46');
  expect(formatDate(null)).toBe(MISSING);
  expect(plain(plural(1, 'step'))).toBe('1 step');
  expect(plain(plural(2000, 'step'))).toBe('2,000 steps');
  expect(['copy', 'batch', 'pass', 'rendezvous', 'key'].map((one) => pluralOf(one))).toEqual([
    'copies',
    'batches',
    'passes',
    'rendezvous',
    'keys',
  ]);
});
