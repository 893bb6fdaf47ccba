/** Follows which step is laid over which, fetches the other one, and shows its slices. */
import { createEffect, createMemo, createSignal, onCleanup, type Accessor } from 'solid-js';

import { TimelineApi } from '../../timeline/api';
import type { Commands } from '../../timeline/commands';
import type { GhostSource } from '../../timeline/ghost';
import { LabelTable } from '../../timeline/labels';
import type { Hit } from '../../timeline/scene';
import { stepsAt } from '../../timeline/step-places';
import type { Timeline } from '../../timeline/timeline';
import type { TimelineReport } from '../../wire/generated/TimelineReport';
import type { TimelineStep } from '../../wire/generated/TimelineStep';

/** The baseline's timeline, once loaded. */
export type Baseline = { report: TimelineReport; session: string } | undefined;

/** The steps that can be laid over those on the ruler. */
export function otherSteps(
  timeline: Timeline,
  baseline: Baseline,
  isBaseline: boolean,
): readonly TimelineStep[] {
  const place = timeline.stepPlace[0]();
  if (!isBaseline) return stepsAt(timeline.report, place);
  return baseline ? stepsAt(baseline.report, place) : [];
}

export function followGhost(timeline: Timeline, baseline: Accessor<Baseline>): void {
  timeline.times.baselineSteps = () => otherSteps(timeline, baseline(), true);
  const source = createMemo((): GhostSource | null => {
    const overlay = timeline.times.overlay[0]();
    if (!overlay) return null;
    const { report, api, scene } = timeline;
    if (!overlay.isBaseline) return { report, api, labels: scene.labels };
    const other = baseline();
    if (!other) return null;
    const otherApi = new TimelineApi(other.session);
    const labels = new LabelTable(
      (ids) => otherApi.labels(ids),
      () => timeline.redraw(),
      () => undefined,
      (ids) => otherApi.labelFacts(ids),
    );
    return { report: other.report, api: otherApi, labels };
  });
  createEffect(() => {
    const overlay = timeline.times.overlay[0]();
    const from = source();
    const steps = overlay ? otherSteps(timeline, baseline(), overlay.isBaseline) : [];
    const other = steps.find(({ step }) => step === overlay?.other);
    const own = stepsAt(timeline.report, timeline.stepPlace[0]()).find(
      ({ step }) => step === overlay?.own,
    );
    if (!from || !own || !other) return timeline.times.setGhost(null);
    let isWanted = true;
    onCleanup(() => (isWanted = false));
    const shiftPs = other.start_ps - own.start_ps;
    const arrive = () => timeline.tilesChanged();
    // Few timelines have one.
    void import('./later').then(({ Ghost }) => {
      if (!isWanted) return;
      timeline.times.setGhost(new Ghost(timeline.report, from, shiftPs, other, steps, arrive));
    });
  });
}

/** What shows the baseline, and makes it the session that the details are about. */
interface BaselineSide {
  commands: Accessor<Commands | null>;
  show: () => void;
}

/** A click on a slice of the other step goes to it, in the session that it is in. */
export function followGhostClicks(
  timeline: Timeline,
  commands: Commands,
  baseline: BaselineSide,
): void {
  const [wanted, setWanted] = createSignal<Hit | null>(null);
  timeline.onGhost = (hit, ghost) => {
    if (ghost.isOfOwn) return showSlices(commands, hit);
    setWanted(hit);
    baseline.show();
  };
  // The baseline's tracks may be shown only now.
  createEffect(() => {
    const [hit, below] = [wanted(), baseline.commands()];
    if (!hit || !below) return;
    setWanted(null);
    showSlices(below, hit);
  });
}

/** Selects a slice; of slices that are merged, shows all. */
function showSlices(commands: Commands, hit: Hit): void {
  const { startPs, durationPs } = hit;
  if (hit.count === 1) void commands.goTo(hit.ref, { startPs, durationPs });
  else commands.zoomTo({ startPs, endPs: startPs + durationPs });
}
