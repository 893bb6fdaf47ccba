import { describe, expect, it } from 'vitest';

import type { PivotReport } from '../wire/generated/PivotReport';
import { parseArrangement } from '../widgets/table/arrangement';
import { cellOf, columnKey, identityOf, linesOf } from './pivot';

const report: PivotReport = {
  start_ps: 0,
  end_ps: 100,
  columns: [
    { key: 'step 1', count: 3, total_ps: 80 },
    { key: 'step 2', count: 1, total_ps: 0 },
  ],
  column_count: 2,
  rows: [{ key: 'dot', count: 3, total_ps: 60, counts: [2, 1], totals_ps: [60, 0] }],
  row_count: 1,
};

describe('pivot tables', () => {
  it('have cells by the name of their column', () => {
    const [line] = linesOf(report);
    const [first, second] = report.columns;
    expect(cellOf(line!, first!, 'time')).toBe(60);
    expect(cellOf(line!, first!, 'count')).toBe(2);
    expect(cellOf(line!, first!, 'share')).toBe(0.75);
    // An instant has no share of a column without time.
    expect(cellOf(line!, second!, 'time')).toBe(0);
    expect(cellOf(line!, second!, 'share')).toBeNull();
    expect(cellOf(line!, { key: 'step 3', count: 1, total_ps: 1 }, 'time')).toBeNull();
  });

  it('identify programs without their ids', () => {
    expect(identityOf('jit_step(123)')).toBe('jit_step');
    expect(identityOf('step 3')).toBe('step 3');
  });

  it('have columns whose keys are their own, also in the address', () => {
    const names = ['step 3', 'step_3', 'step 4', 'host / TPU:0', 'jit_step(12)', 'a.change', '', '流'];
    const keys = names.map(columnKey);
    expect(new Set(keys).size).toBe(names.length);
    for (const key of keys) expect([...parseArrangement(`-${key}`).hidden]).toEqual([key]);
    // The change from a baseline has a column of its own.
    expect(columnKey('a.change')).not.toMatch(/[.]change$/);
  });
});
