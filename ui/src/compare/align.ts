/** Aligns the steps of two sessions: by number if they share numbers, otherwise in order. Pure. */

interface Numbered {
  step: number;
}

/** For each step, the position of its counterpart in `others`; −1 if it has none. */
export function alignSteps(steps: readonly Numbered[], others: readonly Numbered[]): number[] {
  const positions = new Map(others.map((other, index) => [other.step, index]));
  const byNumber = steps.map((one) => positions.get(one.step) ?? -1);
  const shared = byNumber.filter((index) => index >= 0).length;
  // If only a few numbers match by chance, pair in order instead of leaving out most steps.
  if (shared * 2 >= Math.min(steps.length, others.length)) return byNumber;
  return steps.map((_, index) => (index < others.length ? index : -1));
}

/** A range of time that two timelines share: a step of one and its counterpart. */
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
 * What to add to a time in the window to get the corresponding time of the other session: the offset
 * of the first step that starts in the window, otherwise of the last step before it, otherwise of the
 * first step. Without steps it is 0, which aligns the starts of the sessions.
 */
export function offsetFor(anchors: readonly Anchor[], startPs: number, endPs: number): number {
  const span = endPs - startPs;
  const first = anchors.find(
    (anchor) => anchor.startPs >= startPs - span * 0.02 && anchor.startPs < endPs,
  );
  const chosen = first ?? anchors.findLast((anchor) => anchor.startPs < startPs) ?? anchors[0];
  return chosen ? chosen.otherStartPs - chosen.startPs : 0;
}

/** The same anchors, seen from the other session. */
export function reversed(anchors: readonly Anchor[]): Anchor[] {
  return anchors
    .map((anchor) => ({
      startPs: anchor.otherStartPs,
      endPs: anchor.otherStartPs + anchor.endPs - anchor.startPs,
      otherStartPs: anchor.startPs,
    }))
    .sort((one, other) => one.startPs - other.startPs);
}
