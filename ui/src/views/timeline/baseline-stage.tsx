/**
 * The baseline's tracks below those of the session: aligned by step, with windows that move together.
 * For the slice selected in one, the slice of the same op in the other is selected as well.
 */
import { createEffect, createSignal, on, onCleanup, onMount, type Accessor } from 'solid-js';

import { matching } from '../../shell/baseline';
import { summaryOf } from '../../shell/session';
import { hrefTo } from '../../shell/state';
import { TimelineApi } from '../../timeline/api';
import { Commands } from '../../timeline/commands';
import { nameInOther, nearest, queryOf } from '../../timeline/counterpart';
import { TimelinePair } from '../../timeline/link-pair';
import { firstClosed } from '../../timeline/layout';
import type { SelectedSlice } from '../../timeline/scene';
import { Timeline } from '../../timeline/timeline';
import type { TimelineReport } from '../../wire/generated/TimelineReport';
import { followIdle } from './idle';
import { followPath } from './path';
import { followRelated } from './related';
import { Stage } from './stage';

/** A timeline and its commands. */
export interface Side {
  timeline: Timeline;
  commands: Commands;
}

/** The baseline's side. */
export interface Other extends Side {
  session: string;
  pair: TimelinePair;
}

export function BaselineStage(props: {
  upper: Timeline;
  upperCommands: Commands;
  /** This stage once it is mounted, and whether it is the one in use. */
  other: Other | null;
  isActive: boolean;
  onCounterpart: (counterpart: Counterpart | null) => void;
  report: TimelineReport;
  session: string;
  headerWidth: number;
  onHeaderWidth: (width: number) => void;
  onOther: (other: Other | null) => void;
  onPress: () => void;
  onSelect: () => void;
  onArea: () => void;
}) {
  const timeline = new Timeline(props.report, new TimelineApi(props.session), {
    closedGroups: new Set(firstClosed(props.report)),
  });
  const commands = new Commands(timeline);
  // One tool, one search, one choice of colors and of rulers for both.
  createEffect(() => timeline.tool[1](props.upper.tool[0]()));
  createEffect(() => timeline.setQuery(props.upper.search.state().query));
  createEffect(() => {
    const { by, only } = props.upper.coloring[0]();
    timeline.color(by, only);
  });
  createEffect(() => timeline.times.readAs(props.upper.times.clock[0]().kind));
  createEffect(() => timeline.showPath(props.upper.isPathShown[0]()));
  followPath(timeline, () => props.session);
  followIdle(timeline, () => props.session);
  followRelated(timeline);
  const counterpart = createCounterparts(
    { timeline: props.upper, commands: props.upperCommands },
    () => props.other,
    () => props.isActive,
  );
  createEffect(() => props.onCounterpart(counterpart()));
  onCleanup(() => props.onCounterpart(null));
  let isPressed = false;
  createEffect(
    on(
      () => timeline.selection[0]()?.ref,
      (ref) => ref && isPressed && props.onSelect(),
      { defer: true },
    ),
  );
  createEffect(on(timeline.area[0], (area) => area && props.onArea(), { defer: true }));
  onMount(() => {
    const pair = new TimelinePair(props.upper, timeline);
    props.onOther({ timeline, commands, session: props.session, pair });
    const probe = {
      stats: () => timeline.stats(),
      window: () => ({
        startPs: timeline.scene.viewport.startPs,
        endPs: timeline.scene.viewport.endPs,
      }),
    };
    window.__stepscope = { ...window.__stepscope, baseline: probe };
    onCleanup(() => {
      delete window.__stepscope?.baseline;
      props.onOther(null);
      pair.dispose();
    });
  });
  return (
    <Stage
      timeline={timeline}
      commands={commands}
      headerWidth={props.headerWidth}
      onHeaderWidth={props.onHeaderWidth}
      label="Timeline of the baseline, aligned by step"
      onPress={() => {
        isPressed = true;
        props.onPress();
      }}
      title={
        <p class="stage-title is-baseline">
          <span class="muted">Baseline</span>{' '}
          <a
            href={hrefTo({ session: props.session, view: 'timeline' })}
            data-tip="Open its timeline alone"
          >
            <strong>{summaryOf(props.session)?.name}</strong>
          </a>
          <span class="muted"> aligned by step, same scale; windows move together</span>
        </p>
      }
    />
  );
}

/** What the other session has for the selected slice. */
export type Counterpart =
  | { kind: 'found'; isBaseline: boolean; slice: SelectedSlice; show: () => void }
  | { kind: 'none'; isBaseline: boolean; reason: string };

/** Follows the selection of the active timeline; null while there is nothing to show. */
function createCounterparts(
  upper: Side,
  other: Accessor<Other | null>,
  isOtherActive: Accessor<boolean>,
): Accessor<Counterpart | null> {
  const [found, setFound] = createSignal<Counterpart | null>(null);
  const details = () => {
    const lower = other();
    const side = lower && isOtherActive() ? lower : upper;
    return side.timeline.selection[0]()?.details ?? null;
  };
  createEffect(
    on([details, other, matching], ([selected, lower, match]) => {
      setFound(null);
      if (!lower || !match) return;
      const isFromLower = isOtherActive();
      const target: Side = isFromLower ? upper : lower;
      if (!selected) {
        void target.timeline.select(null);
        return;
      }
      const isBaseline = !isFromLower;
      const name = nameInOther(selected, isFromLower ? 'baseline' : 'session', match);
      if (name === null) {
        void target.timeline.select(null);
        const whose = isBaseline ? 'The baseline' : 'The session';
        setFound({ kind: 'none', isBaseline, reason: `${whose} has no such op` });
        return;
      }
      const wantedPs = lower.pair.timeIn(isFromLower ? 'upper' : 'lower', selected.start_ps);
      const controller = new AbortController();
      onCleanup(() => controller.abort());
      const from = Math.max(0, wantedPs - 2 * stepSpan(target.timeline, wantedPs));
      target.timeline.api
        .search(queryOf(name), from, controller.signal)
        .then(async (report) => {
          const slice = nearest(report.slices, selected.track_name, wantedPs);
          if (!slice) {
            setFound({ kind: 'none', isBaseline, reason: `No ${name} near this time` });
            return;
          }
          const known = { startPs: slice.start_ps, durationPs: slice.duration_ps };
          target.timeline.revealTrack(slice.slice.track, slice.slice.lane);
          const shown = await target.timeline.select(slice.slice, known);
          if (!shown || controller.signal.aborted) return;
          const show = () => void target.commands.goTo(slice.slice, known);
          setFound({ kind: 'found', isBaseline, slice: shown, show });
        })
        .catch(() => undefined);
    }),
  );
  return found;
}

/** Duration of the step at a time, which limits how far back a counterpart is searched. */
function stepSpan(timeline: Timeline, timePs: number): number {
  const { steps } = timeline.scene;
  const step = steps.findLast((each) => each.start_ps <= timePs) ?? steps[0];
  return step?.duration_ps ?? timeline.report.end_ps - timeline.report.start_ps;
}
