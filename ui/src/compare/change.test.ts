import { describe, expect, test } from 'vitest';

import { columnScale } from '../format/numbers';
import {
  addingOf,
  betterOf,
  changeOf,
  differenceText,
  isComparable,
  relativeText,
  signedText,
  strengthOf,
} from './change';

const time = { kind: 'duration', better: 'less' } as const;

describe('a change', () => {
  test('has difference, ratio and a tone', () => {
    expect(changeOf(120, 100, time)).toMatchObject({ difference: 20, ratio: 0.2, tone: 'worse' });
    expect(changeOf(80, 100, time)?.tone).toBe('better');
    expect(changeOf(80, 100, { kind: 'flop_rate', better: 'more' })?.tone).toBe('worse');
    expect(changeOf(80, 100, { kind: 'count', better: 'neither' })?.tone).toBe('neutral');
  });

  test('within noise is neither better nor worse', () => {
    expect(changeOf(120, 100, { ...time, isNoise: true })?.tone).toBe('noise');
  });

  test('below 0.05 % counts as unchanged', () => {
    expect(changeOf(100_020, 100_000, time)?.tone).toBe('same');
    expect(changeOf(100_200, 100_000, time)?.tone).toBe('worse');
  });

  test('needs both figures, and ratios have no relative change', () => {
    expect(changeOf(null, 100, time)).toBeNull();
    expect(changeOf(100, undefined, time)).toBeNull();
    expect(changeOf(0.5, 0.4, { kind: 'ratio', better: 'more' })).toMatchObject({
      ratio: null,
      tone: 'better',
    });
    expect(changeOf(5, 0, time)).toMatchObject({ difference: 5, ratio: null });
  });
});

test('texts have a sign', () => {
  const scale = columnScale('duration', [12e9]);
  expect(differenceText(changeOf(12e9, 10e9, time)!, scale)).toBe('+2.000');
  expect(differenceText(changeOf(10e9, 12e9, time)!, scale)).toBe('−2.000');
  expect(differenceText(changeOf(10e9, 10e9, time)!, scale)).toBe('=');
  expect(relativeText(0.0512)).toBe('+5.1\u202f%');
  expect(relativeText(-0.5)).toBe('−50.0\u202f%');
  expect(relativeText(11)).toBe('×\u202f12');
  expect(relativeText(null)).toBe('');
  expect(signedText('ratio', -0.017)).toBe('−1.7\u202fpoints');
  expect(signedText('duration', -2e9)).toBe('−2.000\u202fms');
});

test('columns say what they measure', () => {
  expect(isComparable({ key: 'self_ps', kind: 'duration', better: 'less' })).toBe(true);
  expect(isComparable({ key: 'start_ps', kind: 'duration', better: 'incomparable' })).toBe(false);
  expect(isComparable({ key: 'name' })).toBe(false);
  expect(addingOf({ key: 'own', kind: 'duration' })).toBe('no');
  expect(betterOf({ key: 'own', kind: 'duration' })).toBe('neither');
});

test('colors reach full strength at twice and at half', () => {
  expect(strengthOf(changeOf(200, 100, time))).toBe(1);
  expect(strengthOf(changeOf(800, 100, time))).toBe(1);
  expect(strengthOf(changeOf(50, 100, time))).toBe(-1);
  expect(strengthOf(changeOf(100, 0, time))).toBe(1);
  expect(strengthOf(changeOf(100, 100, time))).toBe(0);
  expect(strengthOf(changeOf(150, 100, { ...time, isNoise: true }))).toBe(0);
});
