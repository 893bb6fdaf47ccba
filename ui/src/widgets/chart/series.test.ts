import { expect, test } from 'vitest';

import { CLASS_COLORS, partColor } from '../../format/palette';
import { colorsOf, MOST_COLORS, seriesColor, seriesLegend } from './series';

const names = (count: number) => Array.from({ length: count }, (_, at) => `run ${at}`);

test('colors differ as long as there are some left', () => {
  const colors = names(MOST_COLORS).map((_, at) => seriesColor(at));
  expect(MOST_COLORS).toBeGreaterThan(7);
  expect(new Set(colors).size).toBe(MOST_COLORS);
  expect(colors).not.toContain(seriesColor(MOST_COLORS));
});

test('the legend says which series share a color', () => {
  expect(seriesLegend(names(3)).map(({ title }) => title)).toEqual(['run 0', 'run 1', 'run 2']);
  const folded = seriesLegend(names(MOST_COLORS + 5)).at(-1);
  const first = MOST_COLORS;
  expect(folded?.title).toBe(`5 more: run ${first}, run ${first + 1}, run ${first + 2}, …`);
  expect(folded?.tip?.split('\n')).toHaveLength(5);
  expect(folded?.color).toBe(seriesColor(MOST_COLORS));
});

test('classes and parts of a step have the colors that they have everywhere', () => {
  expect(colorsOf(['collective', 'matmul', '–'])).toEqual([
    CLASS_COLORS.collective,
    CLASS_COLORS.matmul,
    seriesColor(MOST_COLORS),
  ]);
  expect(colorsOf(['device_compute', 'idle'])).toEqual([
    partColor('device_compute'),
    partColor('idle'),
  ]);
  // One other name, and none of them is taken for a class.
  expect(colorsOf(['matmul', 'mine'])).toEqual([seriesColor(0), seriesColor(1)]);
  expect(seriesLegend(Object.keys(CLASS_COLORS))).toHaveLength(Object.keys(CLASS_COLORS).length);
});
