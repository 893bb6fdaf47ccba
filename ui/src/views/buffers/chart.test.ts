import { describe, expect, it } from 'vitest';

import { areaPath, blockOf, curvePath, nearest, xOf } from './chart';

const curve = [0, 10, 40, 20].map((bytes, position) => ({
  position,
  bytes,
  unpadded_bytes: bytes / 2,
  instruction: `op.${position}`,
}));
const size = { width: 300, height: 80 };

describe('the curve', () => {
  it('is steps from left to right, the highest at the top', () => {
    const path = curvePath(curve, 'bytes', 4, 40, size);
    expect(path).toBe('M0,80H100V60H200V0H300V40H300');
    expect(areaPath(path, size)).toBe(`${path}V80H0Z`);
    expect(curvePath([], 'bytes', 1, 0, size)).toBe('');
  });

  it('finds the nearest point that was sent', () => {
    expect(nearest(curve, 160, 4, 300)?.position).toBe(2);
    expect(nearest(curve, -5, 4, 300)?.position).toBe(0);
    expect(nearest([], 5, 4, 300)).toBeUndefined();
    expect(xOf(0, 1, 300)).toBe(0);
  });
});

it('buffers stand on their offset', () => {
  const life = { name: 'a', offset_bytes: 10, bytes: 20, start: 1, end: 3, phase: '' };
  expect(blockOf(life, 4, 40, size)).toEqual({ x: 100, y: 20, width: 200, height: 40 });
});
