/** Which step of a sorted list contains a time. */
import type { TimelineStep } from '../wire/generated/TimelineStep';

/** Index of the step that contains the time, or of the last one before it; -1 before the first. */
export function stepIndexAt(steps: readonly TimelineStep[], timePs: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]!.start_ps <= timePs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Index of the first step that begins at the time or later; one past the last if there is none. */
export function stepIndexFrom(steps: readonly TimelineStep[], timePs: number): number {
  const before = stepIndexAt(steps, timePs);
  return steps[before]?.start_ps === timePs ? before : before + 1;
}
