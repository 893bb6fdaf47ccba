/** Follows which step is laid over which, and fetches the other one. */
import { createEffect, createMemo, type Accessor } from 'solid-js';

import { TimelineApi } from '../../timeline/api';
import { Ghost, stepsAt, type GhostSource } from '../../timeline/ghost';
import { LabelTable } from '../../timeline/labels';
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
    const shiftPs = other.start_ps - own.start_ps;
    const arrive = () => timeline.tilesChanged();
    timeline.times.setGhost(new Ghost(timeline.report, from, shiftPs, other, steps, arrive));
  });
}
