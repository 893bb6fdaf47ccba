import { describe, expect, it } from 'vitest';

import { timelineParams } from './link';

describe('links to the timeline', () => {
  it('show a range with some time around it, selected as an area', () => {
    expect(timelineParams(10_000, 4000, { place: 'host-1/TPU:0' })).toEqual({
      window: '8000..16000',
      area: '10000..14000',
      at: 'host-1/TPU:0',
      slice: '',
      cause: '',
    });
  });

  it('select the slice that caused it, or say what to look for', () => {
    const slice = { track: 3, lane: 1, index: 7 };
    const of = (target: Parameters<typeof timelineParams>[2]) => {
      const { slice: chosen, cause } = timelineParams(0, 1, target);
      return [chosen, cause];
    };
    expect(of({ slice, isIdle: true })).toEqual(['3:1:7', '']);
    expect(of({ isIdle: true })).toEqual(['', 'idle']);
    expect(of({ isIdle: true, op: 'dot.1' })).toEqual(['', 'op:dot.1']);
  });
});
