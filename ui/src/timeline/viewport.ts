/**
 * The visible window of time: transforms between picoseconds and pixels, zoom at a point, pan,
 * clamps and animation. Times are f64 picoseconds; nothing here touches the page.
 */

/** A half-open range of time. */
export interface TimeWindow {
  startPs: number;
  endPs: number;
}

/** Where the window may go. */
export interface Limits extends TimeWindow {
  /** Shortest window. */
  minSpanPs: number;
}

/** Shortest window: 100 ps, a tenth of a clock cycle at 1 GHz. */
export const MIN_SPAN_PS = 100;

/**
 * Blank space, as a share of the window, that may show before the first and after the last slice.
 */
const MARGIN_RATIO = 0.05;

const ANIMATION_MS = 180;

/** Limits for a session, never empty. */
export function limitsOf(startPs: number, endPs: number): Limits {
  const end = Math.max(endPs, startPs + MIN_SPAN_PS);
  return { startPs, endPs: end, minSpanPs: MIN_SPAN_PS };
}

/** The whole session with a small margin. */
export function fitAll(limits: Limits): TimeWindow {
  const air = (limits.endPs - limits.startPs) * 0.01;
  return { startPs: limits.startPs - air, endPs: limits.endPs + air };
}

/** A range with a margin, such as a slice to zoom to. */
export function fitRange(startPs: number, endPs: number, limits: Limits, air = 0.1): TimeWindow {
  const span = Math.max(endPs - startPs, limits.minSpanPs);
  const center = (startPs + endPs) / 2;
  const half = span * (0.5 + air);
  return clampWindow({ startPs: center - half, endPs: center + half }, limits);
}

/** The nearest allowed window, of the same length where that is allowed. */
export function clampWindow(window: TimeWindow, limits: Limits): TimeWindow {
  const sessionSpan = limits.endPs - limits.startPs;
  const maxSpan = sessionSpan * (1 + 2 * MARGIN_RATIO);
  const asked = window.endPs - window.startPs;
  const span = Math.min(Math.max(asked, limits.minSpanPs), maxSpan);
  const shift = (asked - span) / 2;
  const margin = span * MARGIN_RATIO;
  const first = limits.startPs - margin;
  const last = Math.max(limits.endPs + margin - span, first);
  const startPs = Math.min(Math.max(window.startPs + shift, first), last);
  return { startPs, endPs: startPs + span };
}

/**
 * Multiplies the length by `factor`, keeping the time at `anchorRatio` (0 left, 1 right) in place.
 */
export function zoomAt(
  window: TimeWindow,
  factor: number,
  anchorRatio: number,
  limits: Limits,
): TimeWindow {
  const span = window.endPs - window.startPs;
  const maxSpan = (limits.endPs - limits.startPs) * (1 + 2 * MARGIN_RATIO);
  const next = Math.min(Math.max(span * factor, limits.minSpanPs), maxSpan);
  const anchor = window.startPs + span * anchorRatio;
  const startPs = anchor - next * anchorRatio;
  return clampWindow({ startPs, endPs: startPs + next }, limits);
}

/** Moves the window, keeping its length. */
export function panBy(window: TimeWindow, deltaPs: number, limits: Limits): TimeWindow {
  return clampWindow({ startPs: window.startPs + deltaPs, endPs: window.endPs + deltaPs }, limits);
}

/** Centers the window on a range that is not visible; zooms to a range that does not fit. */
export function reveal(window: TimeWindow, range: TimeWindow, limits: Limits): TimeWindow {
  const span = window.endPs - window.startPs;
  const length = range.endPs - range.startPs;
  if (length > span * 0.9) return fitRange(range.startPs, range.endPs, limits);
  if (range.startPs >= window.startPs && range.endPs <= window.endPs) return window;
  const center = (range.startPs + range.endPs) / 2;
  return clampWindow({ startPs: center - span / 2, endPs: center + span / 2 }, limits);
}

/**
 * A window between two others, at `progress` 0..1. Lengths change geometrically about the one point
 * that both windows show at the same place, so that a zoom looks like a zoom and not like a slide.
 */
export function interpolate(from: TimeWindow, to: TimeWindow, progress: number): TimeWindow {
  const fromSpan = from.endPs - from.startPs;
  const toSpan = to.endPs - to.startPs;
  const ratio = (to.startPs - from.startPs) / (fromSpan - toSpan);
  if (!Number.isFinite(ratio) || Math.abs(ratio) > 20) {
    return {
      startPs: from.startPs + (to.startPs - from.startPs) * progress,
      endPs: from.endPs + (to.endPs - from.endPs) * progress,
    };
  }
  const fixed = from.startPs + ratio * fromSpan;
  const span = fromSpan * (toSpan / fromSpan) ** progress;
  const startPs = fixed - ratio * span;
  return { startPs, endPs: startPs + span };
}

/** The window on the screen and where it is heading. */
export class Viewport {
  startPs: number;
  endPs: number;
  widthPx = 1;
  private from: TimeWindow;
  private to: TimeWindow;
  private beganMs = -1;

  constructor(public limits: Limits) {
    const window = fitAll(limits);
    this.startPs = window.startPs;
    this.endPs = window.endPs;
    this.from = window;
    this.to = window;
  }

  get spanPs(): number {
    return this.endPs - this.startPs;
  }

  get psPerPx(): number {
    return this.spanPs / this.widthPx;
  }

  /** Where the window will be when the animation ends; the next command starts from it. */
  get target(): TimeWindow {
    return this.animating ? this.to : { startPs: this.startPs, endPs: this.endPs };
  }

  get animating(): boolean {
    return this.beganMs >= 0;
  }

  pxOfTime(timePs: number): number {
    return ((timePs - this.startPs) / this.spanPs) * this.widthPx;
  }

  timeOfPx(px: number): number {
    return this.startPs + (px / this.widthPx) * this.spanPs;
  }

  /** Shows the window immediately. */
  show(window: TimeWindow): void {
    const next = clampWindow(window, this.limits);
    this.startPs = next.startPs;
    this.endPs = next.endPs;
    this.beganMs = -1;
  }

  /** Moves to the window over a few frames. */
  animateTo(window: TimeWindow, nowMs: number): void {
    this.from = { startPs: this.startPs, endPs: this.endPs };
    this.to = clampWindow(window, this.limits);
    this.beganMs = nowMs;
  }

  /** Advances the animation; true if there was one. */
  tick(nowMs: number): boolean {
    if (this.beganMs < 0) return false;
    const linear = Math.min(1, Math.max(0, (nowMs - this.beganMs) / ANIMATION_MS));
    const window = linear >= 1 ? this.to : interpolate(this.from, this.to, 1 - (1 - linear) ** 3);
    this.startPs = window.startPs;
    this.endPs = window.endPs;
    if (linear >= 1) this.beganMs = -1;
    return true;
  }
}
