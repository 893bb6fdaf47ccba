import { describe, expect, it } from 'vitest';

import type { HistoryChange } from '../../wire/generated/HistoryChange';
import type { HistoryReport } from '../../wire/generated/HistoryReport';
import type { HistorySeries } from '../../wire/generated/HistorySeries';
import { drawnOf, median, ownGroup, runsOf, stretchesOf, varies, withSpread } from './lines';

const series = (values: (number | null)[], group = 0) =>
  ({ group, metric: 'step_time', unit: 'picos', values }) as HistorySeries;
const change = (run: number, isWorse: boolean, metric = 'step_time', group = 0) =>
  ({ group, metric, run, is_worse: isWorse }) as HistoryChange;
const drawn = (values: (number | null)[]) => ({ runs: values.map((_, run) => run), values });
const stretches = (values: (number | null)[], changes: HistoryChange[]) =>
  stretchesOf(series(values), drawn(values), changes);

describe('lines of a history', () => {
  it('have a level between change points, which may be in any order', () => {
    const found = stretches([1, 2, 3, null, 9, 8, 4], [
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
    expect(stretches([null, null, 5], [change(2, true)])).toEqual([
      { from: 2, to: 2, level: 5, isWorse: true },
    ]);
  });

  it('cover the runs of their group alone', () => {
    const report = {
      runs: [{ group: 1 }, { group: 0 }, { group: 1 }, { group: 0 }, { group: 1 }],
    } as HistoryReport;
    expect(runsOf(report, 0)).toEqual([1, 3]);
    const own = series([3, null, 3, null, 7], 1);
    const points = drawnOf(report, own);
    expect(points).toEqual({ runs: [0, 2, 4], values: [3, 3, 7] });
    const changes = [change(3, true, 'step_time', 0), change(4, true, 'step_time', 1)];
    expect(stretchesOf(own, points, changes)).toEqual([
      { from: 0, to: 1, level: 3, isWorse: null },
      { from: 2, to: 2, level: 7, isWorse: true },
    ]);
  });

  it('are drawn where values differ', () => {
    expect([varies(series([10, null, 10])), varies(series([10, 11]))]).toEqual([false, true]);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});

it('writes a shared unit once', () => {
  expect(withSpread('69.82\u202fms', '111.5\u202fms')).toBe('69.82 ± 111.5\u202fms');
  expect(withSpread('0\u202fs', '82.65\u202fms')).toBe('0\u202fs ± 82.65\u202fms');
  expect(withSpread('4', '0')).toBe('4 ± 0');
});

describe('the group of a session', () => {
  const report = {
    runs: [
      { name: 'planted/base', source: 'session', group: 1 },
      { name: 'nightly', source: 'nightly.jsonl', group: 2 },
    ],
  } as HistoryReport;

  it('is that of the run that is called like its folder', () => {
    expect(ownGroup(report, 'fixtures/planted/plugins/profile/base')).toBe(1);
  });

  it('is missing for other sessions, and recorded runs are none', () => {
    expect(ownGroup(report, 'fixtures/other/base')).toBe(-1);
    expect(ownGroup(report, 'runs/nightly')).toBe(-1);
    expect(ownGroup(report, undefined)).toBe(-1);
  });
});
