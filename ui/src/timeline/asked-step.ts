/** A step that a search names, as if steps were a condition. Pure. */
import type { TimelineStep } from '../wire/generated/TimelineStep';

const STEP = /(^| )steps?: *(\d{1,15})(?= |$)/;

/** The step, and the search without it; null if it names none of these steps. */
export function askedStep(
  query: string,
  steps: readonly TimelineStep[],
): { step: TimelineStep; rest: string } | null {
  const number = STEP.exec(query)?.[2];
  const step = number && steps.find((each) => each.step === Number(number));
  return step ? { step, rest: query.replace(STEP, '').trim() } : null;
}
