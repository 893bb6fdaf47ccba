import { describe, expect, test } from 'vitest';

import {
  clampWindow,
  fitAll,
  fitRange,
  interpolate,
  limitsOf,
  MIN_SPAN_PS,
  panBy,
  reveal,
  Viewport,
  zoomAt,
} from './viewport';

const limits = limitsOf(0, 1e12);
const spanOf = (window: { startPs: number; endPs: number }) => window.endPs - window.startPs;

describe('zoom', () => {
  test('keeps the time under the cursor in place', () => {
    let window = { startPs: 2e11, endPs: 6e11 };
    const anchorPs = 2e11 + 0.3 * 4e11;
    for (let i = 0; i < 40; i++) {
      window = zoomAt(window, 0.7, 0.3, limits);
      const drift = Math.abs(window.startPs + 0.3 * spanOf(window) - anchorPs);
      expect(drift).toBeLessThan(spanOf(window) * 1e-6 + 1);
    }
  });

  test('zooming in and out again restores the window', () => {
    const before = { startPs: 3e11, endPs: 4e11 };
    const after = zoomAt(zoomAt(before, 0.25, 0.8, limits), 4, 0.8, limits);
    expect(after.startPs).toBeCloseTo(before.startPs, -1);
    expect(after.endPs).toBeCloseTo(before.endPs, -1);
  });

  test('stops at the shortest window and a little beyond the session', () => {
    expect(spanOf(zoomAt({ startPs: 0, endPs: 1000 }, 1e-9, 0.5, limits))).toBe(MIN_SPAN_PS);
    const widest = zoomAt({ startPs: 0, endPs: 1e12 }, 100, 0.5, limits);
    expect(spanOf(widest)).toBeCloseTo(1.1e12, -3);
  });
});

describe('pan', () => {
  test('keeps the length to the last picosecond', () => {
    const window = { startPs: 5e11, endPs: 5e11 + 12345 };
    expect(panBy(window, 777, limits)).toEqual({ startPs: 5e11 + 777, endPs: 5e11 + 13122 });
  });

  test('stops at the ends of the session', () => {
    const window = { startPs: 5e11, endPs: 6e11 };
    expect(panBy(window, -1e13, limits).startPs).toBe(-5e9);
    expect(panBy(window, 1e13, limits).endPs).toBe(1e12 + 5e9);
  });
});

test('clamping an allowed window changes nothing', () => {
  const window = { startPs: 1e11, endPs: 2e11 };
  expect(clampWindow(window, limits)).toEqual(window);
  expect(clampWindow(fitAll(limits), limits)).toEqual(fitAll(limits));
});

test('an empty session still has a window', () => {
  const window = fitAll(limitsOf(5, 5));
  expect(spanOf(window)).toBeGreaterThan(0);
});

test('fitting a slice leaves a margin on both sides', () => {
  const window = fitRange(4e11, 5e11, limits);
  expect(window.startPs).toBe(3.9e11);
  expect(window.endPs).toBe(5.1e11);
});

describe('reveal', () => {
  const window = { startPs: 1e11, endPs: 2e11 };
  test('leaves the window alone when the range is visible', () => {
    expect(reveal(window, { startPs: 1.2e11, endPs: 1.3e11 }, limits)).toBe(window);
  });
  test('centers what is outside and keeps the length', () => {
    const next = reveal(window, { startPs: 5e11, endPs: 5.1e11 }, limits);
    expect((next.startPs + next.endPs) / 2).toBeCloseTo(5.05e11, -1);
    expect(spanOf(next)).toBeCloseTo(1e11, -1);
  });
  test('zooms out for what does not fit', () => {
    expect(spanOf(reveal(window, { startPs: 0, endPs: 4e11 }, limits))).toBeGreaterThan(4e11);
  });
});

describe('interpolate', () => {
  const from = { startPs: 0, endPs: 1e12 };
  const to = { startPs: 4e11, endPs: 4.01e11 };
  test('begins and ends at the windows', () => {
    expect(interpolate(from, to, 0)).toEqual(from);
    const end = interpolate(from, to, 1);
    expect(end.startPs).toBeCloseTo(to.startPs, 0);
    expect(end.endPs).toBeCloseTo(to.endPs, 0);
  });
  test('zooms evenly about one fixed point', () => {
    const middle = interpolate(from, to, 0.5);
    expect(spanOf(middle)).toBeCloseTo(Math.sqrt(1e12 * 1e9), -6);
    expect(middle.startPs).toBeLessThan(to.startPs);
    expect(middle.endPs).toBeGreaterThan(to.endPs);
  });
  test('slides when only the position changes', () => {
    const next = interpolate({ startPs: 0, endPs: 10 }, { startPs: 100, endPs: 110 }, 0.5);
    expect(next).toEqual({ startPs: 50, endPs: 60 });
  });
});

describe('Viewport', () => {
  test('pixels and times are inverse to each other', () => {
    const viewport = new Viewport(limits);
    viewport.widthPx = 1600;
    viewport.show({ startPs: 123456789, endPs: 987654321 });
    for (const px of [0, 1, 800, 1599.5]) {
      expect(viewport.pxOfTime(viewport.timeOfPx(px))).toBeCloseTo(px, 6);
    }
    expect(viewport.psPerPx * 1600).toBeCloseTo(viewport.spanPs, 3);
  });

  test('an animation ends exactly at its target', () => {
    const viewport = new Viewport(limits);
    const target = { startPs: 3e11, endPs: 3.5e11 };
    viewport.animateTo(target, 1000);
    expect(viewport.target).toEqual(target);
    expect(viewport.tick(1050)).toBe(true);
    expect(viewport.startPs).not.toBe(target.startPs);
    viewport.tick(5000);
    expect([viewport.startPs, viewport.endPs]).toEqual([target.startPs, target.endPs]);
    expect(viewport.tick(5001)).toBe(false);
  });
});
