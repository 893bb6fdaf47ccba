/** Steps of two sessions side by side: by number where they share numbers, else in order. Pure. */

interface Numbered {
  step: number;
}

/** For each step the position of its counterpart in `others`, −1 without one. */
export function alignSteps(steps: readonly Numbered[], others: readonly Numbered[]): number[] {
  const positions = new Map(others.map((other, index) => [other.step, index]));
  const byNumber = steps.map((one) => positions.get(one.step) ?? -1);
  const shared = byNumber.filter((index) => index >= 0).length;
  // A few common numbers by chance are no reason to leave out all others.
  if (shared * 2 >= Math.min(steps.length, others.length)) return byNumber;
  return steps.map((_, index) => (index < others.length ? index : -1));
}

/** A stretch of time that two timelines share: a step of the one and its counterpart. */
export interface Anchor {
  startPs: number;
  endPs: number;
  otherStartPs: number;
}

interface Timed extends Numbered {
  start_ps: number;
  end_ps: number;
}

export function anchorsOf(steps: readonly Timed[], others: readonly Timed[]): Anchor[] {
  return alignSteps(steps, others)
    .flatMap((position, index) => {
      const [step, other] = [steps[index], others[position]];
      if (!step || !other) return [];
      return [{ startPs: step.start_ps, endPs: step.end_ps, otherStartPs: other.start_ps }];
    })
    .sort((one, other) => one.startPs - other.startPs);
}

/**
 * What to add to a time to get the time of the other session, when the window is looked at: that of
 * the first step that begins in it, else of the step that fills it. Without steps the sessions'
 * beginnings lie on each other.
 */
export function offsetFor(anchors: readonly Anchor[], startPs: number, endPs: number): number {
  const span = endPs - startPs;
  const first = anchors.find(
    (anchor) => anchor.startPs >= startPs - span * 0.02 && anchor.startPs < endPs,
  );
  const chosen = first ?? anchors.findLast((anchor) => anchor.startPs < startPs) ?? anchors[0];
  return chosen ? chosen.otherStartPs - chosen.startPs : 0;
}

/** The same seen from the other session. */
export function reversed(anchors: readonly Anchor[]): Anchor[] {
  return anchors
    .map((anchor) => ({
      startPs: anchor.otherStartPs,
      endPs: anchor.otherStartPs + anchor.endPs - anchor.startPs,
      otherStartPs: anchor.startPs,
    }))
    .sort((one, other) => one.startPs - other.startPs);
}
