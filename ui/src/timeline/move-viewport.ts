/** How a window is reached, by the reader's choice of motion. */
import type { TimeWindow, Viewport } from './viewport';

/** Moves to a window: over a few frames if that is wanted, and at once for readers who prefer no motion. */
export function moveViewport(viewport: Viewport, window: TimeWindow, isAnimated: boolean): void {
  const isStill = globalThis.window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (isAnimated && !isStill) viewport.animateTo(window, performance.now());
  else viewport.show(window);
}
