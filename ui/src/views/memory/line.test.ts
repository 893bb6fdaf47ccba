import { describe, expect, it } from 'vitest';

import type { MemoryTimeline } from '../../wire/generated/MemoryTimeline';
import { extentOf, takenOf } from './line';

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
  it('adds reserved memory to memory in use', () => {
    expect(takenOf(LINE)).toEqual([10, 50, 20]);
    expect(extentOf(LINE)).toEqual({ startPs: 100, endPs: 300, topBytes: 54 });
  });
});
