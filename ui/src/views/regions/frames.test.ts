import { describe, expect, it } from 'vitest';

import type { RegionRow } from '../../wire/generated/RegionRow';
import { framesOf, identityOf, kindOf, pathsOf, titleOf } from './frames';

const row = (name: string, depth: number, values: Partial<RegionRow> = {}): RegionRow => ({
  name,
  kind: 'annotation',
  source: '',
  thread: 'python',
  thread_count: 1,
  name_count: 1,
  depth,
  child_count: 0,
  count: 1,
  total_ps: 10,
  self_ps: 10,
  ratio: 0,
  mean_ps: null,
  p95_ps: null,
  step_count: null,
  step_ps: null,
  device_ps: null,
  first: null,
  longest: null,
  ...values,
});

describe('the frames of regions', () => {
  it('are as wide as their totals, and annotations stand out', () => {
    const rows = [
      row('main', 0, { kind: 'python', source: 'train.py:31', total_ps: 100 }),
      row('train', 1, { total_ps: 60 }),
    ];
    const frames = framesOf(rows, (kind) => kind);
    expect(frames.map((frame) => [frame.title, frame.weight, frame.color])).toEqual([
      ['main  train.py:31', 100, 'python'],
      ['train', 60, 'annotation'],
    ]);
    expect(frames[1]?.strength).toBeGreaterThan(frames[0]?.strength ?? 1);
  });

  it('say how many stacks are not listed', () => {
    const other = row('(other)', 1, { kind: 'other', name_count: 12 });
    expect(titleOf(other)).toBe('(other: 12 stacks)');
    expect(kindOf(row('x', 0, { kind: 'unheard of' }))).toBe('other');
  });

  it('keep their identity when a line moves, and are identified by their path', () => {
    const before = row('load', 0, { kind: 'python', source: 'data.py:3' });
    const after = row('load', 0, { kind: 'python', source: 'data.py:9' });
    expect(identityOf(before)).toBe(identityOf(after));
    const paths = pathsOf([row('a', 0), row('b', 1), row('c', 1), row('b', 0)]);
    expect(paths[1]).toBe(`${paths[0]};annotation//b`);
    expect(new Set(paths).size).toBe(4);
  });
});
