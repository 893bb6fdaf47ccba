import { expect, test } from 'vitest';

import { flatNames, slopeNames, type Named, type NamePlace } from './names';

const SIZE = { width: 1000, height: 260 };

/** A slope of 0.3 up to a peak at a height of 40. */
const roof = (name: string, yAtLeft: number): Named => {
  const ridge = (yAtLeft - 40) / 0.3;
  const line = [
    { x: 0, y: yAtLeft },
    { x: ridge, y: 40 },
    { x: 1000, y: 40 },
  ];
  return { name, line, ridge };
};
const heightAt = ({ line, ridge }: Named, x: number) =>
  x >= ridge ? 40 : line[0]!.y - 0.3 * x;

/** How far the end of a name is below its line; above it is negative. */
const below = (name: NamePlace, line: Named) => name.y - heightAt(line, name.x);

test('the names of two close slopes go along them, on either side', () => {
  const [upper, lower] = [roof('VMEM reads 23.30 TB/s', 180), roof('VMEM writes 16.13 TB/s', 187)];
  const [reads, writes] = slopeNames([upper, lower], [], SIZE);
  expect(below(reads!, upper)).toBeLessThan(0);
  expect(below(writes!, lower)).toBeGreaterThan(0);
  expect(reads!.angle).toBeCloseTo(-16.7, 1);
  // The order of the lines does not matter.
  const [again] = slopeNames([lower, upper], [], SIZE);
  expect(below(again!, lower)).toBeGreaterThan(0);
});

test('a slope with room has its name above it, also below another one', () => {
  const lines = [roof('shared memory 33.45 TB/s', 180), roof('device memory 3.352 TB/s', 230)];
  const names = slopeNames(lines, [], SIZE);
  names.forEach((name, index) => expect(below(name, lines[index]!)).toBeLessThan(0));
});

test('a name keeps clear of the peaks of other types', () => {
  const [upper, lower] = [roof('VMEM reads 23.30 TB/s', 180), roof('VMEM writes 16.13 TB/s', 187)];
  const peak = [
    { x: 100, y: 150 },
    { x: 1000, y: 150 },
  ];
  const [, writes] = slopeNames([upper, lower], [peak], SIZE);
  const start = writes!.x - 'VMEM writes 16.13 TB/s'.length * 7;
  expect(start > 60 && writes!.y > 150 && writes!.y < 165).toBe(false);
});

test('a short slope has its name at the axis, level', () => {
  const [name] = slopeNames([roof('shared memory 33.45 TB/s', 60)], [], SIZE);
  expect(name!.angle).toBe(0);
  expect(name!.x).toBeGreaterThanOrEqual('shared memory 33.45 TB/s'.length * 7);
});

test('names of flat lines at one height are next to each other', () => {
  const [first, second, third] = flatNames([
    { name: 'fp8 1.979 PFLOP/s', y: 30 },
    { name: 'compute 989.0 TFLOP/s', y: 36 },
    { name: 'tf32 494.5 TFLOP/s', y: 80 },
  ]);
  expect(first).toBe(6);
  expect(second).toBeGreaterThan(first! + 'fp8 1.979 PFLOP/s'.length * 7);
  expect(third).toBe(6);
});
