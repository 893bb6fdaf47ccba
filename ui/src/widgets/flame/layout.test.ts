import { describe, expect, it } from 'vitest';

import { boxesOf, buildFlame, frameAt, matchesOf, moveFrom, pathTo, rowCount } from './layout';

const frame = (title: string, depth: number, weight: number) => ({
  title,
  depth,
  weight,
  color: 'red',
  strength: 1,
});

/*
 *  main                      other
 *  load      step            │
 *            grad  apply     │
 *  0    20   30    50  60    80   100
 */
const tree = buildFlame([
  frame('main', 0, 80),
  frame('load', 1, 20),
  frame('step', 1, 50),
  frame('grad', 2, 20),
  frame('apply', 2, 10),
  frame('other', 0, 20),
]);

describe('the flame tree', () => {
  it('has the parents, ends and starts of frames', () => {
    expect(tree.parents).toEqual([-1, 0, 0, 2, 2, -1]);
    expect(tree.ends).toEqual([5, 2, 5, 4, 5, 6]);
    expect(tree.starts).toEqual([0, 0, 20, 20, 40, 80]);
    expect(tree.total).toBe(100);
    expect(pathTo(tree, 4)).toEqual([0, 2, 4]);
  });

  it('fills the width, also when zoomed to a frame', () => {
    const all = boxesOf(tree, -1, 200);
    expect(all.map((box) => [box.index, box.left, box.width])).toEqual([
      [0, 0, 160],
      [1, 0, 40],
      [2, 40, 100],
      [3, 40, 40],
      [4, 80, 20],
      [5, 160, 40],
    ]);
    const zoomed = boxesOf(tree, 2, 200);
    expect(zoomed.map((box) => [box.index, box.left, box.width, box.isAncestor])).toEqual([
      [0, 0, 200, true],
      [2, 0, 200, false],
      [3, 0, 80, false],
      [4, 80, 40, false],
    ]);
    expect(rowCount(tree, -1)).toBe(3);
    expect(rowCount(tree, 5)).toBe(1);
  });

  it('finds the frame below a point', () => {
    expect(frameAt(tree, -1, 200, 45, 1)).toBe(2);
    expect(frameAt(tree, -1, 200, 170, 0)).toBe(5);
    expect(frameAt(tree, -1, 200, 170, 1)).toBe(-1);
    expect(frameAt(tree, 2, 200, 100, 0)).toBe(0);
  });

  it('moves by arrow keys and stops at the edges', () => {
    expect(moveFrom(tree, -1, 'child')).toBe(0);
    expect(moveFrom(tree, 2, 'parent')).toBe(0);
    expect(moveFrom(tree, 0, 'parent')).toBe(0);
    expect(moveFrom(tree, 2, 'child')).toBe(3);
    expect(moveFrom(tree, 1, 'child')).toBe(1);
    expect(moveFrom(tree, 1, 'next')).toBe(2);
    expect(moveFrom(tree, 2, 'next')).toBe(2);
    expect(moveFrom(tree, 2, 'previous')).toBe(1);
    expect(moveFrom(tree, 0, 'next')).toBe(5);
    expect(moveFrom(tree, 5, 'previous')).toBe(0);
  });

  it('counts nested matches once', () => {
    const titles = ['step', 'grad', 'other'];
    const { found, weight } = matchesOf(tree, (index) =>
      titles.includes(tree.frames[index]?.title ?? ''),
    );
    expect([...found]).toEqual([2, 3, 5]);
    expect(weight).toBe(70);
  });

  it('draws at most one line per pixel for what is too narrow to see', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => frame(`f${index}`, 1, 1));
    const boxes = boxesOf(buildFlame([frame('all', 0, 10_000), ...many]), -1, 100);
    expect(boxes.length).toBeGreaterThan(50);
    expect(boxes.length).toBeLessThanOrEqual(101);
  });
});
