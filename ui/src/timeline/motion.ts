/**
 * Motion by keys that are held. Speed is per second, not per key repeat, so the motion is even at any
 * repeat rate. It continues for `TAP_MS` after the key is released, so that a tap is noticeable.
 */
import { panBy, zoomAt, type Limits, type TimeWindow } from './viewport';

/** Directions of motion. */
export type Direction = 'in' | 'out' | 'left' | 'right';

const TAP_MS = 90;
/** Natural logarithm of the zoom per second. */
const ZOOM_PER_SECOND = 3.4;
/** Window widths per second. */
const PAN_PER_SECOND = 1.4;
const FAST_FACTOR = 4;

/** The directions that are held now. */
export class Motion {
  isFast = false;
  private readonly until = new Map<Direction, number>();
  private lastMs = 0;

  get isActive(): boolean {
    return this.until.size > 0;
  }

  press(direction: Direction, nowMs: number): void {
    if (!this.isActive) this.lastMs = nowMs;
    this.until.set(direction, Infinity);
  }

  /** Ends the direction `TAP_MS` from now. */
  release(direction: Direction, nowMs: number): void {
    if (this.until.get(direction) === Infinity) this.until.set(direction, nowMs + TAP_MS);
  }

  releaseAll(): void {
    this.until.clear();
  }

  /** The window after the time that passed since the last call. */
  advance(window: TimeWindow, anchorRatio: number, limits: Limits, nowMs: number): TimeWindow {
    const from = this.lastMs;
    let next = window;
    for (const [direction, until] of this.until) {
      const seconds = Math.max(0, Math.min(nowMs, until) - from) / 1000;
      next = step(next, direction, Math.min(seconds, 0.1), this.isFast, anchorRatio, limits);
      if (nowMs >= until) this.until.delete(direction);
    }
    this.lastMs = nowMs;
    return next;
  }
}

function step(
  window: TimeWindow,
  direction: Direction,
  seconds: number,
  isFast: boolean,
  anchorRatio: number,
  limits: Limits,
): TimeWindow {
  const speed = seconds * (isFast ? FAST_FACTOR : 1);
  if (direction === 'in' || direction === 'out') {
    const sign = direction === 'in' ? -1 : 1;
    return zoomAt(window, Math.exp(sign * ZOOM_PER_SECOND * speed), anchorRatio, limits);
  }
  const sign = direction === 'right' ? 1 : -1;
  const span = window.endPs - window.startPs;
  return panBy(window, sign * span * PAN_PER_SECOND * speed, limits);
}
