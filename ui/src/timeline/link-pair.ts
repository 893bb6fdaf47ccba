/**
 * Links two timelines that show the same steps of two sessions: each follows the window of the other,
 * shifted so that the first visible step begins at the same place. Both windows always have the same
 * length.
 */
import { anchorsOf, offsetFor, reversed, type Anchor } from '../compare/align';
import type { TimelineStep } from '../wire/generated/TimelineStep';
import type { Timeline } from './timeline';
import type { TimeWindow } from './viewport';

/** Share of the remaining shift that is applied per frame: a jump would look like a bug. */
const GLIDE = 0.35;
/** A remaining shift below this share of the window counts as reached. */
const NEAR = 1 / 4000;

export class TimelinePair {
  private anchors: Record<'upper' | 'lower', Anchor[]> = { upper: [], lower: [] };
  /** The steps from which the anchors were built. */
  private aligned: readonly (readonly TimelineStep[])[] = [];
  /** Time of the lower timeline − time of the upper one, as shown. */
  private offsetPs: number | null = null;
  private frame = 0;

  constructor(
    private readonly upper: Timeline,
    private readonly lower: Timeline,
  ) {
    this.align();
    const offsets = this.anchors.upper.map((anchor) => anchor.otherStartPs - anchor.startPs);
    const ends = [0, ...offsets];
    const [least, most] = [Math.min(...ends), Math.max(...ends)];
    const { report: above } = upper;
    const { report: below } = lower;
    upper.widen({ startPs: below.start_ps - most, endPs: below.end_ps - least });
    lower.widen({ startPs: above.start_ps + least, endPs: above.end_ps + most });
    upper.onShown = (window) => this.lead('upper', window);
    lower.onShown = (window) => this.lead('lower', window);
    upper.onPointer = (pointer) => lower.followPointer(pointer);
    lower.onPointer = (pointer) => upper.followPointer(pointer);
    this.lead('upper', upper.scene.viewport);
  }

  /** Converts a time of the other timeline to one of this side, aligned at the step that contains it. */
  timeIn(side: 'upper' | 'lower', timePs: number): number {
    this.align();
    // The step that contains the time, not one that begins a little later.
    const anchors = this.anchors[side === 'upper' ? 'lower' : 'upper'];
    return timePs + offsetFor(anchors, timePs, timePs + 1);
  }

  dispose(): void {
    cancelAnimationFrame(this.frame);
    this.upper.onShown = () => undefined;
    this.lower.onShown = () => undefined;
    this.upper.onPointer = () => undefined;
    this.lower.onPointer = () => undefined;
    const { start_ps: startPs, end_ps: endPs } = this.upper.report;
    this.upper.widen({ startPs, endPs });
  }

  /** Aligns the steps on the rulers, which the user may change. */
  private align(): void {
    const shown = [this.upper.scene.steps, this.lower.scene.steps] as const;
    if (shown.every((steps, index) => steps === this.aligned[index])) return;
    this.aligned = shown;
    const anchors = anchorsOf(timed(shown[0]), timed(shown[1]));
    this.anchors = { upper: anchors, lower: reversed(anchors) };
  }

  private lead(side: 'upper' | 'lower', window: TimeWindow): void {
    this.align();
    const { startPs, endPs } = window;
    const sign = side === 'upper' ? 1 : -1;
    const wanted = sign * offsetFor(this.anchors[side], startPs, endPs);
    const span = endPs - startPs;
    const missing = this.offsetPs === null ? Infinity : wanted - this.offsetPs;
    const isThere = Math.abs(missing) < span * NEAR || Math.abs(missing) > span;
    this.offsetPs = isThere ? wanted : (this.offsetPs ?? wanted) + missing * GLIDE;
    const shift = sign * this.offsetPs;
    const [leader, follower] =
      side === 'upper' ? [this.upper, this.lower] : [this.lower, this.upper];
    const isPassing = leader.scene.viewport.animating || !isThere;
    follower.follow({ startPs: startPs + shift, endPs: endPs + shift }, isPassing);
    cancelAnimationFrame(this.frame);
    if (isThere) return;
    this.frame = requestAnimationFrame(() => this.lead(side, leader.scene.viewport));
  }
}

function timed(steps: readonly TimelineStep[]) {
  return steps.map((step) => ({
    step: step.step,
    start_ps: step.start_ps,
    end_ps: step.start_ps + step.duration_ps,
  }));
}
