import { expect, test } from 'vitest';

import { dateAcross, figureAcross, figureAxis, slotAt, slotsAcross, timeAcross, type Axis } from './axis';
import { frameOf, inPlot, isInside, marginOf } from './frame';

const texts = (axis: Axis) => axis.ticks.map(({ text }) => text);

test('ticks of figures share a unit, which the title shows', () => {
  const bytes = figureAxis('In use', 'bytes', 0, 21.6 * 1024 ** 3)(200);
  expect(bytes.title).toBe('In use, GiB');
  expect(texts(bytes)).toEqual(['0', '5', '10', '15', '20']);
  const time = figureAxis('', 'duration', 0, 180e9)(130);
  expect(time.title).toBe('ms');
  expect(texts(time)).toEqual(['0', '50', '100', '150']);
  expect(texts(figureAxis('', 'ratio', 0, 1)(150))).toEqual(['0', '20', '40', '60', '80', '100']);
  expect(figureAcross('Point', 'count', 0, 12000)(400).title).toBe('Point');
  expect(texts(figureAcross('Point', 'count', 0, 12000)(200))).toContain('5,000');
});

test('times show their unit', () => {
  expect(texts(timeAcross(0, 50e9)(300))).toEqual(['0 ms', '20 ms', '40 ms']);
});

test('slots are labeled where there is room', () => {
  const labels = Array.from({ length: 100 }, (_, index) => String(index));
  const axis = slotsAcross('Step', labels)(500);
  expect(texts(axis).slice(0, 3)).toEqual(['0', '5', '10']);
  expect(axis.scale.share(50)).toBe(0.5);
  expect(axis.ticks[0]?.value).toBe(0.5);
});

test('slots leave no seams', () => {
  const edges = [0, 1, 2].map((index) => slotAt(3, index, 100));
  expect(edges).toEqual([
    [0, 33],
    [33, 34],
    [67, 33],
  ]);
});

test('a frame leaves room for axes and titles', () => {
  const x = slotsAcross('Step', ['0', '1'])(100);
  const y = figureAxis('', 'duration', 0, 1e9)(80);
  const margin = marginOf(x, y, { right: 0 });
  const frame = frameOf(
    { width: margin.left + 100, height: margin.top + 80 + margin.bottom },
    margin,
    x,
    y,
  );
  expect([frame.width, frame.height]).toEqual([100, 80]);
  expect([frame.x(1), frame.y(0), frame.y(1e9)]).toEqual([50, 80, 0]);
  expect(frame.atX(25)).toBe(0.5);
  expect(inPlot(frame, { x: margin.left, y: margin.top })).toEqual({ x: 0, y: 0 });
  expect(isInside(frame, { x: 101, y: 5 })).toBe(false);
});

test('dates are round, within the axis, and have room', () => {
  const day = 86_400_000;
  const from = Date.UTC(2026, 10, 1);
  for (const [span, length] of [
    [3 * 3_600_000, 600],
    [4 * day, 900],
    [70 * day, 600],
    [0, 300],
  ] as const) {
    const { ticks, scale } = dateAcross(from, from + span)(length);
    expect(ticks.length).toBeLessThanOrEqual(length / 96 + 1);
    expect(ticks.length).toBeGreaterThan(span > 0 ? 1 : 0);
    for (const { value } of ticks) {
      expect(scale.share(value)).toBeGreaterThanOrEqual(0);
      expect(scale.share(value)).toBeLessThanOrEqual(1);
      expect(new Date(value).getSeconds()).toBe(0);
    }
  }
  expect(dateAcross(from, from + 70 * day)(600).ticks[0]?.text).toMatch(/^2026-\d\d-\d\d$/);
  expect(dateAcross(from, from + day)(600).ticks[0]?.text).toMatch(/^\d\d-\d\d \d\d:\d\d$/);
});
