import { describe, expect, it } from 'vitest';

import type { HistoryChange } from '../../wire/generated/HistoryChange';
import type { HistorySeries } from '../../wire/generated/HistorySeries';
import { median, stretchesOf, varies } from './lines';

const series = (values: (number | null)[]) =>
  ({ metric: 'step_time', unit: 'picos', values }) as HistorySeries;
const change = (run: number, isWorse: boolean, metric = 'step_time') =>
  ({ metric, run, is_worse: isWorse }) as HistoryChange;

describe('lines of a history', () => {
  it('have a level between change points, which may be in any order', () => {
    const found = stretchesOf(series([1, 2, 3, null, 9, 8, 4]), [
      change(6, false),
      change(4, true),
      change(2, true, 'memory_peak'),
    ]);
    expect(found).toEqual([
      { from: 0, to: 3, level: 2, isWorse: null },
      { from: 4, to: 5, level: 8.5, isWorse: true },
      { from: 6, to: 6, level: 4, isWorse: false },
    ]);
  });

  it('leave out stretches without values', () => {
    expect(stretchesOf(series([null, null, 5]), [change(2, true)])).toEqual([
      { from: 2, to: 2, level: 5, isWorse: true },
    ]);
  });

  it('are drawn where values differ', () => {
    expect([varies(series([10, null, 10])), varies(series([10, 11]))]).toEqual([false, true]);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});
