import { describe, expect, it } from 'vitest';

import type { MetricPoint } from '../../wire/generated/MetricPoint';
import { brokenStretches, pieces, pointText, valueRange } from './metric-line';

const point = (step: number, last: number | null, bad = ''): MetricPoint => ({
  step_first: step,
  step_last: step,
  ended_epoch_ms: step,
  last,
  least: last,
  most: last,
  not_finite_step: bad ? step : null,
  not_finite: bad,
});

describe('a metric', () => {
  it('ends where it is not finite, and says so', () => {
    const points = [point(1, 2.5), point(2, 2.25), point(3, null, 'nan'), point(4, 7)];
    expect(pieces(points)).toEqual([[0, 1], [3]]);
    expect(points.map(pointText)).toEqual([
      '2.5, step 1',
      '2.25, step 2',
      'nan at step 3',
      '7, step 4',
    ]);
    expect(pieces([point(1, null, 'inf')])).toEqual([]);
    const broken = [...points, point(5, null, 'nan'), point(6, 3, 'inf')];
    expect(brokenStretches(broken)).toEqual([
      { first: 2, last: 2 },
      { first: 4, last: 5 },
    ]);
  });

  it('says the range of steps that share a point', () => {
    const shared = { ...point(1, 2), step_last: 9, least: 1, most: 40, not_finite_step: 5 };
    expect(pointText({ ...shared, not_finite: '-inf' })).toBe('2, 1 to 40, steps 1 to 9, -inf at step 5');
  });

  it('has room around its values, also if they are all the same', () => {
    const { from, to } = valueRange([point(1, 10), point(2, 20), point(3, null, 'nan')]);
    expect(from).toBeCloseTo(9.4);
    expect(to).toBeCloseTo(20.6);
    expect(valueRange([point(1, -5)])).toEqual({ from: -5.5, to: -4.5 });
    expect(valueRange([point(1, null, 'nan')])).toEqual({ from: 0, to: 1 });
  });
});
