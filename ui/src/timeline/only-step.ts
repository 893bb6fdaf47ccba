/** One step, by its own time on every host and device, while all others are dimmed. Pure. */
import type { TimelineStep } from '../wire/generated/TimelineStep';
import type { StepPlace } from './step-places';
import type { TimeWindow } from './viewport';

/** The only step that is not dimmed. */
export interface OnlyStep {
  step: number;
  /** Its time on a group of tracks; null if it did not run there. */
  spanOn: (group: string) => TimeWindow | null;
}

/**
 * A step on all places. Groups without steps of their own, such as threads of a host that annotated
 * none, show the step's time on the ruler.
 */
export function onlyStepOf(
  places: readonly StepPlace[],
  ruler: readonly TimelineStep[],
  number: number,
): OnlyStep {
  const spanIn = (steps: readonly TimelineStep[]) => {
    const step = steps.find((each) => each.step === number);
    return step ? { startPs: step.start_ps, endPs: step.start_ps + step.duration_ps } : null;
  };
  const known = new Map<string, TimeWindow | null>();
  const spanOn = (group: string) => {
    let span = known.get(group);
    if (span === undefined) {
      const host = group.split(' / ')[0];
      const place =
        places.find(({ name }) => name === group) ?? places.find(({ name }) => name === host);
      known.set(group, (span = spanIn(place?.steps ?? ruler)));
    }
    return span;
  };
  return { step: number, spanOn };
}
