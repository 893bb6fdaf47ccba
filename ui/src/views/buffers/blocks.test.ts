import { expect, it } from 'vitest';

import { figureAcross, figureAxis } from '../../widgets/chart/axis';
import { frameOf } from '../../widgets/chart/frame';
import { blockAt, blockOf, isHeapDrawn } from './blocks';

const x = figureAcross('Point', 'count', 0, 3)(300);
const y = figureAxis('Offset', 'bytes', 0, 40)(80);
const margin = { left: 0, right: 0, top: 0, bottom: 0 };
const frame = frameOf({ width: 300, height: 80 }, margin, x, y);
const life = { name: 'a', offset_bytes: 10, bytes: 20, start: 1, end: 3, phase: '' };

it('buffers are placed at their offset', () => {
  expect(blockOf(life, frame)).toEqual({ x: 100, y: 20, width: 200, height: 40 });
});

it('a position belongs to the buffer drawn on top', () => {
  const other = { ...life, start: 2, end: 3 };
  expect(blockAt([life, other], { x: 150, y: 30 }, frame)).toBe(0);
  expect(blockAt([life, other], { x: 250, y: 30 }, frame)).toBe(1);
  expect(blockAt([life], { x: 50, y: 30 }, frame)).toBeNull();
});

it('a heap that is next to nothing of the peak is not drawn', () => {
  expect(isHeapDrawn(68, 144 * 2 ** 20)).toBe(false);
  expect(isHeapDrawn(2 ** 20, 144 * 2 ** 20)).toBe(true);
  expect(isHeapDrawn(null, 1)).toBe(false);
});
