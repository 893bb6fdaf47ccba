import { describe, expect, it } from 'vitest';

import type { HeapFrameRow } from '../../wire/generated/HeapFrameRow';
import { framesOf, meaningOf, titleOf, weightsOf } from './frames';

const row = (name: string, depth: number, values: Partial<HeapFrameRow>): HeapFrameRow => ({
  name,
  source: '/home/a/train.py:12',
  depth,
  child_count: 0,
  is_internal: false,
  total_bytes: 0,
  self_bytes: 0,
  total_allocations: 0,
  self_allocations: 0,
  change_bytes: null,
  change_allocations: null,
  change_self_bytes: null,
  change_self_allocations: null,
  ...values,
});

describe('the frames of a heap', () => {
  it('are as wide as the memory they hold', () => {
    const rows = [
      row('main', 0, { total_bytes: 100, self_bytes: 30, self_allocations: 1 }),
      row('load', 1, { total_bytes: 70, self_bytes: 70, self_allocations: 9 }),
    ];
    expect(weightsOf(rows, 'bytes')).toEqual([100, 70]);
    expect(weightsOf(rows, 'allocations')).toEqual([10, 9]);
  });

  it('keep the place of freed memory in a comparison', () => {
    const rows = [
      row('main', 0, { total_bytes: 60, change_bytes: -40, self_bytes: 0, change_self_bytes: 0 }),
      row('kept', 1, { total_bytes: 60, change_bytes: 10, self_bytes: 60, change_self_bytes: 10 }),
      row('gone', 1, { total_bytes: 0, change_bytes: -50, self_bytes: 0, change_self_bytes: -50 }),
    ];
    expect(weightsOf(rows, 'bytes')).toEqual([110, 60, 50]);
    const frames = framesOf(rows, 'bytes', (meaning) => meaning);
    expect(frames.map((frame) => frame.color)).toEqual(['shrunk', 'grown', 'shrunk']);
  });

  it('are red where they grew, blue where they shrank, stronger for more', () => {
    const grown = row('grown', 0, { change_bytes: 100 });
    expect(meaningOf(grown, 'bytes', 100)).toEqual({ meaning: 'grown', strength: 0.6 });
    const less = meaningOf(row('less', 0, { change_bytes: 4 }), 'bytes', 100);
    expect(less.strength).toBeCloseTo(0.28);
    expect(meaningOf(row('same', 0, { change_bytes: 0 }), 'bytes', 100).meaning).toBe('same');
    expect(meaningOf(row('own', 0, {}), 'bytes', 0).meaning).toBe('own');
    const internal = row('jax', 0, { is_internal: true });
    expect(meaningOf(internal, 'bytes', 0).meaning).toBe('internal');
  });

  it('are titled by function and file', () => {
    expect(titleOf(row('load', 0, {}))).toBe('load  train.py:12');
    expect(titleOf(row('load', 0, { source: '' }))).toBe('load');
  });
});
