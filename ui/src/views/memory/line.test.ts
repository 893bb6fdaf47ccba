import { describe, expect, it } from 'vitest';

import type { MemoryTimeline } from '../../wire/generated/MemoryTimeline';
import { extentOf, levelsOf, pointAt, stepPath, takenOf } from './line';

const LINE: MemoryTimeline = {
  allocator: 'GPU_0_bfc',
  host: 'vm',
  times_ps: [100, 200, 300],
  in_use_bytes: [10, 40, 20],
  reserved_bytes: [0, 10, 0],
  fragmentation_ratios: [0, 0, 0],
  event_count: 3,
};

describe('the line of memory', () => {
  it('adds what is set aside to what is in use', () => {
    expect(takenOf(LINE)).toEqual([10, 50, 20]);
    expect(extentOf(LINE)).toEqual({ startPs: 100, endPs: 300, topBytes: 54 });
  });

  it('holds a value until the next', () => {
    const extent = { startPs: 100, endPs: 300, topBytes: 100 };
    const path = stepPath(LINE.times_ps, takenOf(LINE), extent, 200, 100);
    expect(path).toBe('M0.0,90.0H100.0V50.0H200.0V80.0');
  });

  it('finds the point that holds', () => {
    expect([50, 100, 250, 900].map((time) => pointAt(LINE.times_ps, time))).toEqual([-1, 0, 1, 2]);
  });

  it('has lines across at round numbers of bytes', () => {
    const GIB = 1024 ** 3;
    expect(levelsOf(21.6 * GIB)).toEqual([5 * GIB, 10 * GIB, 15 * GIB, 20 * GIB]);
    expect(levelsOf(3 * GIB)).toEqual([0.5, 1, 1.5, 2, 2.5].map((level) => level * GIB));
    expect(levelsOf(700)).toEqual([200, 400, 600]);
    expect(levelsOf(0)).toEqual([]);
  });
});
