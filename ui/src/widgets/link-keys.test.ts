import { describe, expect, it } from 'vitest';

import { linkKeys } from './link-keys';

describe('names of rows in links', () => {
  it('stay when other rows come, go, or change places', () => {
    const before = linkKeys(['gemm', 'fusion.2', 'copy']);
    const after = linkKeys(['new', 'copy', 'gemm']);
    expect(after.indexOf(before.at(0) ?? '')).toBe(2);
    expect(after.indexOf(before.at(2) ?? '')).toBe(1);
    expect(after.indexOf(before.at(1) ?? '')).toBe(-1);
    expect(before.at(-1)).toBeNull();
    expect(before.indexOf(undefined)).toBe(-1);
    // A link by position, as they were.
    expect(before.indexOf('1')).toBe(-1);
  });

  it('distinguish rows of one name by their path', () => {
    const before = linkKeys(['a', 'step', 'b', 'step', 'inner'], [0, 1, 0, 1, 2]);
    expect(before.at(1)).not.toBe(before.at(3));
    const after = linkKeys(['b', 'step', 'inner', 'a', 'step'], [0, 1, 2, 0, 1]);
    expect(after.indexOf(before.at(1) ?? '')).toBe(4);
    expect(after.indexOf(before.at(3) ?? '')).toBe(1);
    expect(after.indexOf(before.at(4) ?? '')).toBe(2);
  });

  it('count rows that nothing tells apart', () => {
    const keys = linkKeys(['same', 'same']);
    expect([0, 1].map((index) => keys.indexOf(keys.at(index) ?? ''))).toEqual([0, 1]);
  });

  it('are short and readable', () => {
    const key = linkKeys([`void Eigen::internal::Kernel<${'float, '.repeat(400)}>(int)`]).at(0) ?? '';
    expect(key).toMatch(/^void-Eigen-internal-Kernel-float/);
    expect(key.length).toBeLessThan(60);
  });
});
