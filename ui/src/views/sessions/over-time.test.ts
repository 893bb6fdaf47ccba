import { expect, test } from 'vitest';

import type { SessionSummary } from '../../wire/types';
import { FIGURES, pointsOf } from './over-time';

const session = (key: string, more: Partial<SessionSummary>): SessionSummary =>
  ({
    key,
    name: key,
    tags: [],
    program: '',
    verdict: '',
    is_indexed: true,
    git_commit: null,
    captured_epoch_ms: null,
    modified_epoch_ms: null,
    step_time_ps: null,
    step_sparkline_ratio: [],
    ...more,
  }) as SessionSummary;

const figure = (key: string) => FIGURES.find((each) => each.key === key)!;

test('points are in the order of capture, files second, and those without a figure are counted', () => {
  const { points, leftOut, series } = pointsOf(
    [
      session('late', { captured_epoch_ms: 300, modified_epoch_ms: 1, step_time_ps: 5 }),
      session('early', { modified_epoch_ms: 200, step_time_ps: 7 }),
      session('unmeasured', { modified_epoch_ms: 250 }),
      session('timeless', { step_time_ps: 7 }),
    ],
    figure('step_ps'),
    undefined,
  );
  expect(points.map((point) => [point.session.key, point.atMs, point.value])).toEqual([
    ['early', 200, 7],
    ['late', 300, 5],
  ]);
  expect(leftOut).toBe(2);
  expect(series).toEqual([]);
});

test('the largest group has the first color; sessions without one are a group', () => {
  const of = (key: string, git_commit: string | null) =>
    session(key, { git_commit, modified_epoch_ms: 1, mfu_ratio: 0.4 });
  const { points, series } = pointsOf(
    [of('a', 'f00'), of('b', 'bad'), of('c', 'bad'), of('d', null)],
    figure('mfu_ratio'),
    'git_commit',
  );
  expect(series).toEqual(['bad', 'f00', '–']);
  expect(points.map(({ session: { key }, series: at }) => [key, at])).toEqual([
    ['a', 1],
    ['b', 0],
    ['c', 0],
    ['d', 2],
  ]);
});
