import { describe, expect, it } from 'vitest';

import { factored, nearestStop } from './factor';

describe('factored', () => {
  it('takes changes apart', () => {
    expect(factored('network:2')).toMatchObject({ prefix: 'network:', factor: 2 });
    expect(factored('scale:^dot:1:0.5')).toMatchObject({ prefix: 'scale:^dot:1:', factor: 0.5 });
    expect(factored('scale:copies:2x')?.factor).toBe(2);
  });

  it('leaves others alone', () => {
    expect(factored('hide:collectives')).toBeNull();
    expect(factored('remove:network:2')).toBeNull();
    expect(factored('network:fast')).toBeNull();
    expect(factored('scale:1..2')).toBeNull();
  });

  it('lets work vanish, and no network', () => {
    expect(factored('scale:dot:1')?.stops[0]).toBe(0);
    expect(factored('network:1')?.stops[0]).toBe(0.1);
  });
});

describe('nearestStop', () => {
  it('finds the nearest by ratio', () => {
    const stops = [0, 0.5, 1, 2, 4];
    expect(nearestStop(stops, 1)).toBe(2);
    expect(nearestStop(stops, 2.6)).toBe(3);
    expect(nearestStop(stops, 0)).toBe(0);
    expect(nearestStop(stops, 100)).toBe(4);
  });
});
