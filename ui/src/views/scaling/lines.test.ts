import { describe, expect, it } from 'vitest';

import type { ScalingReport } from '../../wire/generated/ScalingReport';
import type { ScalingRow } from '../../wire/generated/ScalingRow';
import {
  countAxis,
  doublingAxis,
  formatTimes,
  idealOf,
  linesOf,
  measureOf,
  placeOfCount,
  valueAxis,
} from './lines';

const row = (method: string, count: number, speedup: number): ScalingRow =>
  ({
    method,
    source: 'capture',
    device_count: count,
    speedup_ratio: speedup,
    efficiency_ratio: speedup / count,
    throughput_per_second: 100 * speedup,
  }) as ScalingRow;

describe('lines of a chart of scaling', () => {
  it('has a line for each method, by device count', () => {
    const report = {
      methods: [
        { method: 'a', source: 'capture' },
        { method: 'b', source: 'capture' },
      ],
      rows: [row('a', 4, 3), row('b', 1, 1), row('a', 1, 1)],
    } as unknown as ScalingReport;
    const lines = linesOf(report);
    expect(lines.map((line) => line.rows.map((one) => one.device_count))).toEqual([[1, 4], [1]]);
    expect(idealOf(lines[0]!, measureOf('speedup'), 8)).toBe(8);
    expect(idealOf(lines[0]!, measureOf('throughput'), 8)).toBe(800);
    expect(idealOf(lines[0]!, measureOf('efficiency'), 8)).toBe(1);
  });

  it('has axes that double and begin at zero', () => {
    expect(countAxis([1, 2, 8]).ticks).toEqual([1, 2, 4, 8]);
    const axis = countAxis([2, 8]);
    expect(placeOfCount(axis, 4)).toBeCloseTo(0.5);
    expect(valueAxis([7.5]).ticks).toEqual([0, 2, 4, 6]);
    expect(countAxis([4]).ticks).toEqual([4]);
    expect(doublingAxis([1, 3.6]).ticks).toEqual([1, 2, 4]);
    expect(doublingAxis([0.4, 1]).ticks).toEqual([0.25, 0.5, 1]);
    expect(doublingAxis([1, 2 ** 20]).ticks.length).toBeLessThan(10);
  });

  it('writes ratios of speeds', () => {
    expect(formatTimes(1.3149)).toBe('1.31×');
    expect(formatTimes(null)).toBe('–');
  });
});
