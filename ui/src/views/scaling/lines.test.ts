import { describe, expect, it } from 'vitest';

import type { ScalingReport } from '../../wire/generated/ScalingReport';
import type { ScalingRow } from '../../wire/generated/ScalingRow';
import {
  countAxis,
  formatTimes,
  idealOf,
  linesOf,
  measureOf,
  oneCountText,
  valueAxis,
} from './lines';

const row = (group: number, count: number, speedup: number): ScalingRow =>
  ({
    group,
    source: 'capture',
    device_count: count,
    speedup_ratio: speedup,
    efficiency_ratio: speedup / count,
    throughput_per_second: 100 * speedup,
  }) as ScalingRow;

describe('lines of a scaling chart', () => {
  it('has a line for each method, by device count', () => {
    const report = {
      methods: [
        { name: 'a: jit_step on XLA:CPU', source: 'capture' },
        { name: 'a: jit_eval on XLA:CPU', source: 'capture' },
      ],
      rows: [row(0, 4, 3), row(1, 1, 1), row(0, 1, 1)],
    } as unknown as ScalingReport;
    const lines = linesOf(report);
    expect(lines.map((line) => line.rows.map((one) => one.device_count))).toEqual([[1, 4], [1]]);
    expect(idealOf(lines[0]!, measureOf('speedup'), 8)).toBe(8);
    expect(idealOf(lines[0]!, measureOf('throughput'), 8)).toBe(800);
    expect(idealOf(lines[0]!, measureOf('efficiency'), 8)).toBe(1);
  });

  it('says why there is no curve', () => {
    expect(oneCountText({ rows: [row(0, 4, 1), row(1, 4, 1)] })).toMatch(
      /^Every session ran on 4\u00a0devices, so there is no scaling to compare\./,
    );
    expect(oneCountText({ rows: [row(0, 4, 1), row(1, 1, 1)] })).toMatch(
      /^Each program ran on a single number of devices/,
    );
    expect(oneCountText({ rows: [] })).toMatch(/^There are no steps to compare/);
  });

  it('has axes that double, and efficiency from zero', () => {
    const ticks = (axis: { ticks: readonly { value: number }[] }) =>
      axis.ticks.map(({ value }) => value);
    expect(ticks(countAxis([1, 2, 8])(800))).toEqual([1, 2, 4, 8]);
    expect(ticks(countAxis([4])(800))).toEqual([4]);
    expect(countAxis([2, 8])(800).scale.share(4)).toBeCloseTo(0.5);
    const speedup = measureOf('speedup');
    expect(ticks(valueAxis(speedup, [1, 3.6])(300))).toEqual([1, 2, 4]);
    expect(ticks(valueAxis(speedup, [0.4, 1])(300))).toEqual([0.25, 0.5, 1]);
    expect(ticks(valueAxis(speedup, [1, 2 ** 20])(300)).length).toBeLessThan(10);
    const efficiency = valueAxis(measureOf('efficiency'), [0.5, 1])(300);
    expect(efficiency.title).toBe('Efficiency, %');
    expect(efficiency.scale.from).toBe(0);
  });

  it('writes ratios of speeds', () => {
    expect(formatTimes(1.3149)).toBe('1.31×');
    expect(formatTimes(null)).toBe('–');
  });
});
