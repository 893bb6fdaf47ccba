import { describe, expect, test } from 'vitest';

import { tintOf } from './coloring';
import { LabelTable } from './labels';
import { CLASS_NAMES, classIndexOf, mix, pack, parseColor, Palette, SLOT_COUNT } from './palette';
import type { Segment } from './segments';
import { footRowsOf, STRIP_ROWS, StripPixels, type LabelSink } from './strips';
import { buildTile, lone, type GlyphSpec } from './tile-builder.test-support';
import { decodeTile } from './tile';

const THEME = {
  background: '#ffffff',
  surface: '#eeeeee',
  line: '#dddddd',
  strongLine: '#cccccc',
  text: '#111111',
  mutedText: '#666666',
  accent: '#2563c9',
  problem: '#c4302b',
};

test('the foot of merged slices grows with the logarithm of their number', () => {
  expect([1, 2, 7, 8, 63, 64, 511, 512, 4095, 4096, 1e9].map(footRowsOf)).toEqual([
    0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5,
  ]);
});

test('tints depend on the name without its number', () => {
  expect(tintOf('fusion.12')).toBe(tintOf('fusion.9041'));
  const tints = new Set(['fusion', 'dot', 'copy', 'all-reduce', 'while', 'sort'].map(tintOf));
  expect(tints.size).toBeGreaterThan(1);
  expect([...tints].every((tint) => tint >= 0 && tint < 4)).toBe(true);
});

test('every class has its own colors, and merged slices stay visible', () => {
  const palette = new Palette(THEME);
  const full = new Set<number>();
  for (let slot = 0; slot < SLOT_COUNT; slot++) full.add(palette.body[slot * 8 + 7]!);
  expect(full.size).toBe(SLOT_COUNT);
  expect([...palette.body].every((pixel) => pixel !== pack([255, 255, 255]))).toBe(true);
  expect(classIndexOf('something new')).toBe(CLASS_NAMES.indexOf('host'));
});

test('colors are parsed in every notation that CSS returns', () => {
  expect(parseColor('#abc')).toEqual([170, 187, 204]);
  expect(parseColor(' #12151a')).toEqual([18, 21, 26]);
  expect(parseColor('rgb(1, 2, 3)')).toEqual([1, 2, 3]);
  expect(mix([0, 0, 0], [100, 200, 50], 0.5)).toEqual([50, 100, 25]);
  expect(pack([1, 2, 3])).toBe(0xff030201);
});

describe('pixels', () => {
  const palette = new Palette(THEME);
  const nothing = () => undefined;
  const labels = new LabelTable(() => Promise.resolve([]), nothing, nothing);
  const width = 100;
  /** The color slots of labels 0 to 3. */
  labels.slot.set([1, 5, 9, 13]);
  const segment = (glyphs: GlyphSpec[], startPs = 0, endPs = width): Segment => {
    const spec = { startPs, endPs, widthPx: width, tracks: [{ track: 0, lanes: [glyphs] }] };
    return { tile: decodeTile(buildTile(spec)).tracks[0]!, startPs, endPs, isExact: true };
  };
  /** One lane at one picosecond per pixel: foot rows and body color of every pixel. */
  const draw = (segments: Segment[], isSearching = false) => {
    const names: [number, number, number][] = [];
    const instants: number[] = [];
    const sink: LabelSink = {
      add: (_, label, __, from, to) => names.push([label, from, to]),
      addInstant: (_, __, px) => instants.push(px),
    };
    const strips = new StripPixels();
    strips.begin(width, 1);
    const projection = { originPs: 0, scale: 1, width };
    strips.lane(0, 0, segments, projection, palette, labels, isSearching, sink);
    const rows = Array.from({ length: width }, (_, x) =>
      Array.from({ length: STRIP_ROWS }, (__, row) => strips.pixels[row * width + x]!),
    );
    const body = rows.map((column) => column[0]!);
    const foot = rows.map((column) => column.filter((pixel) => pixel !== column[0]).length);
    return { body, foot, names, instants };
  };
  const full = (slot: number) => palette.body[slot * 8 + 7]!;

  test('a wide slice is one color with an empty pixel at its end', () => {
    const { body, foot, names } = draw([segment([lone(10, 40, 0, 1)])]);
    expect(body.slice(10, 49).every((pixel) => pixel === full(5))).toBe(true);
    expect([body[9], body[49], body[50]]).toEqual([0, 0, 0]);
    expect(foot.every((rows) => rows === 0)).toBe(true);
    expect(names).toEqual([[1, 10, 50]]);
  });

  test('a slice across two segments is drawn without a break and named once', () => {
    const slice = lone(10, 80, 0, 1);
    const { body, names } = draw([segment([slice], 0, 50), segment([slice], 50, 100)]);
    expect(body.slice(10, 89).every((pixel) => pixel === full(5))).toBe(true);
    expect(names).toHaveLength(1);
    // Also if only its first few pixels are in the first segment.
    const late = lone(45, 40, 0, 1);
    expect(draw([segment([late], 0, 50), segment([late], 50, 100)]).names).toEqual([[1, 45, 85]]);
  });

  test('even the shortest slices are visible', () => {
    const glyphs = [lone(5, 0, 0, 1), lone(20, 0.01, 1, 2), lone(40.5, 0.4, 2, 3)];
    const { body, instants } = draw([segment(glyphs)]);
    expect([5, 20, 40].every((x) => body[x] !== 0)).toBe(true);
    expect(body.filter((pixel) => pixel !== 0)).toHaveLength(3);
    expect(instants).toEqual([5]);
  });

  test('slices that share a pixel are counted together, and what takes most time sets the color', () => {
    const glyphs = Array.from({ length: 10 }, (_, i) =>
      lone(30 + i * 0.1, i === 4 ? 0.09 : 0.005, i, i === 4 ? 2 : 1),
    );
    const { body, foot } = draw([segment(glyphs)]);
    expect(foot[30]).toBe(footRowsOf(10));
    const shades = Array.from({ length: 8 }, (_, density) => palette.body[9 * 8 + density]);
    expect(shades).toContain(body[30]);
    expect(body.filter((pixel) => pixel !== 0)).toHaveLength(1);
  });

  test('a merged glyph from a coarser tile fills its range, paler the less busy it is', () => {
    const glyph = { startPs: 10, durationPs: 20, index: 0, count: 4000, label: 1 };
    const busy = draw([segment([{ ...glyph, busyPs: 20 }])]);
    const idle = draw([segment([{ ...glyph, busyPs: 2 }])]);
    expect(busy.body.slice(10, 30).every((pixel) => pixel === full(5))).toBe(true);
    expect(idle.body[15]).toBe(palette.body[5 * 8]);
    expect(busy.foot.slice(10, 30).every((rows) => rows === footRowsOf(200))).toBe(true);
    expect(busy.body[30]).toBe(0);
  });

  test('a glyph is clipped to its segment, so that a coarser tile never covers an exact one', () => {
    const { body } = draw([segment([lone(10, 80, 0, 1)], 0, 50)]);
    expect(body[49]).toBe(full(5));
    expect(body[50]).toBe(0);
  });

  test('while searching, a match keeps its color even if other slices take more of the pixel', () => {
    labels.matches.fill(0);
    labels.matches[3] = 1;
    const glyphs = [lone(10, 20, 0, 1), lone(50, 0.8, 1, 1), lone(50.8, 0.1, 2, 3)];
    const { body } = draw([segment(glyphs)], true);
    expect(body[15]).toBe(palette.dimmed[5 * 8 + 7]);
    const shades = Array.from({ length: 8 }, (_, density) => palette.body[13 * 8 + density]);
    expect(shades).toContain(body[50]);
  });

  test('what takes most of a pixel sets its color, even as many short slices', () => {
    const short = Array.from({ length: 6 }, (_, i) => lone(30 + i * 0.1, 0.1, i, 1));
    const { body } = draw([segment([...short, lone(30.6, 0.3, 6, 2)])]);
    const shades = Array.from({ length: 8 }, (_, density) => palette.body[5 * 8 + density]);
    expect(shades).toContain(body[30]);
  });

  test('a short slice in the last pixel of a long one does not take it over', () => {
    const shades = (slot: number) =>
      Array.from({ length: 8 }, (_, density) => palette.body[slot * 8 + density]);
    const short = [lone(11.9, 0.02, 1, 2), lone(11.93, 0.02, 2, 2), lone(40, 0.7, 3, 2)];
    const { body, foot } = draw([segment([lone(10, 1.9, 0, 1), ...short, lone(40.7, 2, 4, 1)])]);
    expect(shades(5)).toContain(body[11]);
    expect(foot[11]).toBe(footRowsOf(2));
    expect(shades(9)).toContain(body[40]);
  });

  test('a summary shows the innermost slices, and what is around them where nothing is in them', () => {
    const nested = (lanes: GlyphSpec[][]): Segment => {
      const spec = { startPs: 0, endPs: width, widthPx: width, tracks: [{ track: 0, lanes }] };
      const tile = decodeTile(buildTile(spec)).tracks[0]!;
      return { tile, startPs: 0, endPs: width, isExact: true };
    };
    const thread = nested([[lone(0, 100, 0, 0)], [lone(20, 60, 0, 1)], [lone(40, 20, 0, 3)]]);
    const strips = new StripPixels();
    strips.begin(width, 2);
    const projection = { originPs: 0, scale: 1, width };
    strips.summary(0, [[thread]], projection, palette, labels, false);
    const colors = [10, 30, 50, 70, 90].map((x) => strips.pixels[x]);
    expect(colors).toEqual([1, 5, 13, 5, 1].map(full));
    // Two threads that wait outweigh one that works.
    const waiting = nested([[lone(0, 100, 0, 2)]]);
    strips.summary(1, [[thread], [waiting], [waiting]], projection, palette, labels, false);
    const below = STRIP_ROWS * width;
    expect([10, 50].map((x) => strips.pixels[below + x])).toEqual([9, 9].map(full));
  });
});
