import { describe, expect, it } from 'vitest';

import type { CollectiveDeviceRow } from '../../wire/generated/CollectiveDeviceRow';
import { bars } from './bars';

function device(host: string, name: string, exposed: number): CollectiveDeviceRow {
  return {
    host,
    device: name,
    device_index: 0,
    total_ps: exposed,
    exposed_ps: exposed,
    hidden_ps: 0,
    wait_ps: null,
    window_ps: 100,
    exposed_ratio: exposed / 100,
  };
}

describe('bars of devices', () => {
  it('names the host only where there are several', () => {
    expect(bars([device('a', 'GPU:0', 1), device('a', 'GPU:1', 2)]).map((b) => b.title)).toEqual([
      'GPU:0',
      'GPU:1',
    ]);
    expect(bars([device('a', 'GPU:0', 1), device('b', 'GPU:0', 2)]).map((b) => b.title)).toEqual([
      'a/GPU:0',
      'b/GPU:0',
    ]);
  });
});
