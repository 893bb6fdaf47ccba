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

it('programs and threads of a pool are the same in sessions that give them other ids', () => {
  const threads = [
    frame('tf_XLAEigen/-58252164', 0, 9, ''),
    frame('jit_step(86)', 1, 8),
    frame('tf_XLAEigen/12345', 0, 4, ''),
    frame('dot', 1, 3),
    frame('python', 0, 2, ''),
  ];
  expect(linesOf(threads).map(({ path }) => path)).toEqual([
    ';tf_XLAEigen#1',
    ';tf_XLAEigen#1;jit_step',
    ';tf_XLAEigen#2',
    ';tf_XLAEigen#2;dot',
    ';python',
  ]);
  // Seen from the callers, a thread is the innermost frame.
  const callers = [frame('dot', 0, 3), frame('tf_XLAEigen/12345', 1, 3, '')];
  expect(linesOf(callers).map(({ path }) => path)).toEqual([';dot', ';dot;tf_XLAEigen']);
});
