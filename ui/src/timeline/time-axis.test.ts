import { describe, expect, test } from 'vitest';

import { baseLabel, exactTime, tickLabel, timeAxis } from './time-axis';

describe('timeAxis', () => {
  const labels = (startPs: number, endPs: number) => {
    const axis = timeAxis({ startPs, endPs }, 1000, 100);
    const times = Array.from({ length: axis.count }, (_, i) => axis.firstPs + i * axis.stepPs);
    return {
      axis,
      times,
      texts: times.map((time) => tickLabel(axis, time)),
      base: baseLabel(axis),
    };
  };

  test('ticks are inside the window and at least the given distance apart', () => {
    for (const [startPs, endPs] of [
      [0, 1e12],
      [123, 456],
      [5e11, 5e11 + 1e6],
      [-1e10, 1e10],
    ] as const) {
      const { axis, times } = labels(startPs, endPs);
      expect(times.length).toBeGreaterThan(2);
      expect(times[0]).toBeGreaterThanOrEqual(startPs);
      expect(times.at(-1)).toBeLessThanOrEqual(endPs);
      expect((axis.stepPs / (endPs - startPs)) * 1000).toBeGreaterThanOrEqual(99.9);
    }
  });

  test('labels of different ticks differ at any zoom', () => {
    for (let span = 100; span <= 1e13; span *= 3.7) {
      for (const startPs of [0, 123_456_789_012, 3_600e12]) {
        const { texts } = labels(startPs, startPs + span);
        expect(new Set(texts).size, `${startPs} + ${span}`).toBe(texts.length);
      }
    }
  });

  test('deep in a long session, labels are relative to a base', () => {
    const { texts, base } = labels(1_234_567_890_000, 1_234_567_890_000 + 1e6);
    expect(base).toBe('1.234 560 s');
    expect(texts.slice(0, 2)).toEqual(['+7.9 µs', '+8.0 µs']);
  });

  test('a whole session is labeled in plain units', () => {
    expect(labels(0, 1e12).texts.slice(0, 3)).toEqual(['0.0 s', '0.1 s', '0.2 s']);
    expect(labels(0, 1e12).base).toBe('');
  });
});

test('exact times show every significant digit, in groups of three', () => {
  expect(exactTime(0)).toBe('0.0 s');
  expect(exactTime(1.5e12)).toBe('1.500 s');
  expect(exactTime(23_478_379_858)).toBe('0.023 478 379 858 s');
  expect(exactTime(-1)).toBe('-0.000 000 000 001 s');
});
