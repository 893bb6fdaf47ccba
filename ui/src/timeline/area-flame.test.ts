import { expect, it } from 'vitest';

import type { FlameFrameReport } from '../wire/generated/FlameFrameReport';
import { framesOf, linesOf } from './area-flame';

const frame = (name: string, depth: number, total: number, className = 'host') =>
  ({ name, depth, class: className, count: 1, total_ps: total, self_ps: 0 }) as FlameFrameReport;

const frames = [frame('XLA Ops', 0, 9, ''), frame('while', 1, 8), frame('dot', 2, 5), frame('dot', 1, 1)];

it('frames are as wide as their time', () => {
  const shown = framesOf(frames, (name) => `color of ${name}`);
  expect(shown.map(({ title, depth, weight }) => [title, depth, weight])).toEqual([
    ['XLA Ops', 0, 9],
    ['while', 1, 8],
    ['dot', 2, 5],
    ['dot', 1, 1],
  ]);
  expect(shown[0]!.strength).toBeLessThan(shown[1]!.strength);
});

it('lines are told apart by what is around them', () => {
  expect(linesOf(frames).map(({ path }) => path)).toEqual([
    ';XLA Ops',
    ';XLA Ops;while',
    ';XLA Ops;while;dot',
    ';XLA Ops;dot',
  ]);
});
