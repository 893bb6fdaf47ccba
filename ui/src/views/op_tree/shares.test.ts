import { expect, test } from 'vitest';

import type { OpTreeReport } from '../../wire/generated/OpTreeReport';
import { withoutIdle } from './shares';

const REPORT = {
  self_ps: 60,
  idle_ps: 40,
  rows: [
    { kind: 'program', self_ps: 60, ratio: 0.6 },
    { kind: 'op', self_ps: 15, ratio: 0.15 },
    { kind: 'idle', self_ps: 40, ratio: 0.4 },
  ],
  wasted: [{ wasted_ps: 30, ratio: 0.3 }],
  notes: [{ id: 'idle-window' }, { id: 'work-unknown' }],
} as unknown as OpTreeReport;

test('without idle time, the ops are the whole', () => {
  const shown = withoutIdle(REPORT);
  const ratios = shown.rows.map(({ ratio }) => ratio);
  expect(ratios[0]).toBeCloseTo(1);
  expect(ratios[1]).toBeCloseTo(0.25);
  expect(shown.wasted[0]?.ratio).toBeCloseTo(0.5);
  expect(shown.idle_ps).toBeNull();
  expect(shown.notes.map(({ id }) => id)).toEqual(['work-unknown']);
});

test('a report that was made without it stays', () => {
  const report = { ...REPORT, idle_ps: null };
  expect(withoutIdle(report)).toBe(report);
});
