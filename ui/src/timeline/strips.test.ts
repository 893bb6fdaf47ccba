import { expect, test } from 'vitest';

import { searchPattern, tintOf } from './labels';
import { CLASS_NAMES, classIndexOf, mix, pack, parseColour, Palette, SLOT_COUNT } from './palette';
import { footRowsOf } from './strips';

test('the foot of merged slices grows with the logarithm of their number', () => {
  expect([1, 2, 7, 8, 63, 64, 511, 512, 4095, 4096, 1e9].map(footRowsOf)).toEqual([
    0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5,
  ]);
});

test('tints depend on the name without its number', () => {
  expect(tintOf('fusion.12')).toBe(tintOf('fusion.9041'));
  const tints = new Set(['fusion', 'dot', 'copy', 'all-reduce', 'while', 'sort'].map(tintOf));
  expect(tints.size).toBeGreaterThan(1);
  expect([...tints].every((tint) => tint >= 0 && tint < 4)).toBe(true);
});

test('searches ignore case unless they have capitals, and never fail', () => {
  expect(searchPattern('fusion')?.test('Loop_Fusion.1')).toBe(true);
  expect(searchPattern('Fusion')?.test('loop_fusion.1')).toBe(false);
  expect(searchPattern('f(')?.test('f(x)')).toBe(true);
  expect(searchPattern('')).toBeNull();
});

test('every class has its own colours, and merged slices stay visible', () => {
  const theme = {
    background: '#ffffff',
    surface: '#eeeeee',
    line: '#dddddd',
    strongLine: '#cccccc',
    text: '#111111',
    mutedText: '#666666',
    accent: '#2563c9',
    problem: '#c4302b',
  };
  const palette = new Palette(theme);
  const full = new Set<number>();
  for (let slot = 0; slot < SLOT_COUNT; slot++) full.add(palette.body[slot * 8 + 7]!);
  expect(full.size).toBe(SLOT_COUNT);
  expect([...palette.body].every((pixel) => pixel !== pack([255, 255, 255]))).toBe(true);
  expect(classIndexOf('something new')).toBe(CLASS_NAMES.indexOf('host'));
});

test('colours are read in every notation that CSS gives back', () => {
  expect(parseColour('#abc')).toEqual([170, 187, 204]);
  expect(parseColour(' #12151a')).toEqual([18, 21, 26]);
  expect(parseColour('rgb(1, 2, 3)')).toEqual([1, 2, 3]);
  expect(mix([0, 0, 0], [100, 200, 50], 0.5)).toEqual([50, 100, 25]);
  expect(pack([1, 2, 3])).toBe(0xff030201);
});
