import { afterEach, expect, test, vi } from 'vitest';

import { moveViewport } from './move-viewport';
import { limitsOf, Viewport } from './viewport';

const WANTED = { startPs: 100_000, endPs: 200_000 };

/** Moves to a window while the reader prefers motion or not. */
function moved(isStill: boolean, isAnimated: boolean): Viewport {
  vi.stubGlobal('window', { matchMedia: () => ({ matches: isStill }) });
  const viewport = new Viewport(limitsOf(0, 1_000_000));
  moveViewport(viewport, WANTED, isAnimated);
  return viewport;
}

afterEach(() => vi.unstubAllGlobals());

test('a window is reached over a few frames', () => {
  const viewport = moved(false, true);
  expect(viewport.animating).toBe(true);
  expect(viewport.target).toEqual(WANTED);
  expect(moved(false, false).animating).toBe(false);
});

test('with reduced motion it is there at once', () => {
  const viewport = moved(true, true);
  expect(viewport.animating).toBe(false);
  expect([viewport.startPs, viewport.endPs]).toEqual([WANTED.startPs, WANTED.endPs]);
});
