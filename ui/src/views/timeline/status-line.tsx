/** The line below the rows: the legend, and how many slices a merged glyph represents. */
import { For, lazy, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';

import { signedText } from '../../compare/change';
import { formatCount, plural } from '../../format/numbers';
import { Icon } from '../../shell/icons';
import { shared } from '../../shell/shared';
import { getParam } from '../../shell/state';
import { LAID_PARAM } from '../../sql/lay';
import { clockChoices, type ClockKind } from '../../timeline/clock';
import { COLORS_BY, colorByOf } from '../../timeline/coloring';
import type { Overlay } from '../../timeline/ghost';
import { footRowsOf } from '../../timeline/strips';
import type { Timeline } from '../../timeline/timeline';
import { Late } from '../../widgets/late';
import { showToast } from '../../widgets/toast';
import type { TimelineStep } from '../../wire/generated/TimelineStep';
import { titleOfColor } from './color-titles';
import { otherSteps, type Baseline } from './ghost';
import type { GapCounts } from './idle';
import { Legend } from './legend';
import './status-line.css';

/** Runs a query and lays its rows over the tracks: few timelines have one. */
const LaidChip = lazy(() => import('./laid-chip'));

const EXAMPLES = [1, 2, 8, 64, 512, 4096];

function ColorChoice(props: { timeline: Timeline }) {
  // A single-file report has the names and classes of labels only.
  const choices = COLORS_BY.filter(({ needsFacts }) => !needsFacts || !shared());
  return (
    <label class="color-choice">
      <span class="muted">Color by</span>
      <select
        value={props.timeline.coloring[0]().by}
        onChange={(event) => props.timeline.color(colorByOf(event.currentTarget.value))}
      >
        <For each={choices}>{(each) => <option value={each.key}>{each.title}</option>}</For>
      </select>
    </label>
  );
}

/** Says that everything else is dimmed; a click ends that. */
function OnlyChip(props: { what: string; onClear: () => void }) {
  return (
    <button
      class="only-chip"
      aria-label={`Only ${props.what}: show all`}
      data-tip={`Only ${props.what}; everything else is dimmed. Click to show all.`}
      onClick={() => props.onClear()}
    >
      <span>Only {props.what}</span>
      <Icon name="close" />
    </button>
  );
}

/** More steps than this are not listed: their number is typed. */
const MOST_LISTED = 500;

interface StepFieldProps {
  label: string;
  steps: readonly TimelineStep[];
  chosen: TimelineStep | undefined;
  onChoose: (step: number) => void;
}

/** Chooses one of a few steps. */
function StepList(props: StepFieldProps) {
  return (
    <select
      aria-label={props.label}
      value={props.chosen?.step ?? ''}
      onChange={(event) => props.onChoose(Number(event.currentTarget.value))}
    >
      <Show when={!props.chosen}>
        <option value="">not found</option>
      </Show>
      <For each={props.steps}>{({ step }) => <option value={step}>{step}</option>}</For>
    </select>
  );
}

/** Chooses one of many steps by its number. */
function StepNumber(props: StepFieldProps) {
  const choose = (field: HTMLInputElement) => {
    const step = field.valueAsNumber;
    if (props.steps.some((one) => one.step === step)) return props.onChoose(step);
    showToast({ text: `There is no step ${field.value} here`, key: 'timeline step' });
    field.value = String(props.chosen?.step ?? '');
  };
  return (
    <input
      type="number"
      aria-label={props.label}
      data-tip={`One of ${plural(props.steps.length, 'step')}`}
      min={props.steps[0]?.step}
      max={props.steps.at(-1)?.step}
      value={props.chosen?.step ?? ''}
      onChange={(event) => choose(event.currentTarget)}
    />
  );
}

/** Says which step lies over which, lets the reader choose another one, and ends it. */
function OverlayChip(props: { timeline: Timeline; baseline: Baseline; overlay: Overlay }) {
  const { timeline } = props;
  const change = (changes: Partial<Overlay>) =>
    timeline.times.overlay[1]({ ...props.overlay, ...changes });
  const own = () =>
    otherSteps(timeline, undefined, false).find(({ step }) => step === props.overlay.own);
  const steps = () => otherSteps(timeline, props.baseline, props.overlay.isBaseline);
  const other = () => steps().find(({ step }) => step === props.overlay.other);
  const difference = () => {
    const [below, above] = [own(), other()];
    if (!below || !above) return '';
    return signedText('duration', above.duration_ps - below.duration_ps);
  };
  const whose = () => (props.overlay.isBaseline ? 'Baseline step' : 'Step');
  return (
    <span class="only-chip" role="group" aria-label="Step over step">
      <label>
        {whose()}{' '}
        <Dynamic
          component={steps().length > MOST_LISTED ? StepNumber : StepList}
          label={`${whose()} laid over step ${props.overlay.own}`}
          steps={steps()}
          chosen={other()}
          onChoose={(step: number) => change({ other: step })}
        />
      </label>
      <span data-tip="The lower part of each lane shows it, aligned at the starts of both steps">
        over step {props.overlay.own}
        <Show when={difference()}>{(text) => <b class="number"> {text()}</b>}</Show>
      </span>
      <button
        class="quiet"
        aria-label="Show one step only"
        onClick={() => timeline.times.overlay[1](null)}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

/** Chooses how times read; a choice that this session cannot have says why. */
function ClockChoice(props: { timeline: Timeline }) {
  const clock = () => props.timeline.times.clock[0]();
  return (
    <label class="color-choice">
      <span class="muted">Times</span>
      <select
        value={clock().kind}
        onChange={(event) => props.timeline.times.readAs(event.currentTarget.value as ClockKind)}
      >
        <For each={clockChoices(clock())}>
          {({ kind, title, missing }) => (
            <option value={kind} disabled={missing !== ''}>
              {missing ? `${title} (${missing})` : title}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}

/** Says that only the longest gaps are drawn. */
function GapsChip(props: { gaps: GapCounts }) {
  return (
    <span
      class="muted number"
      data-tip="The longest idle gaps are drawn. Idle counts all of them."
    >
      {formatCount(props.gaps.drawn)} of {formatCount(props.gaps.all)} idle gaps drawn
    </span>
  );
}

interface StatusLineProps {
  timeline: Timeline;
  session: string;
  baseline: Baseline;
  /** How many idle gaps are drawn, once known. */
  gaps: GapCounts | null;
}

export function StatusLine(props: StatusLineProps) {
  const coloring = () => props.timeline.coloring[0]();
  return (
    <div class="timeline-status">
      <ColorChoice timeline={props.timeline} />
      <ClockChoice timeline={props.timeline} />
      <Show when={coloring().only}>
        {(only) => (
          <OnlyChip
            what={[...only()].map((key) => titleOfColor(coloring().by, key)).join(', ')}
            onClear={() => props.timeline.color(coloring().by)}
          />
        )}
      </Show>
      <Show when={props.timeline.times.onlyStep[0]() !== null}>
        <OnlyChip
          what={`step ${props.timeline.times.onlyStep[0]()}`}
          onClear={() => props.timeline.times.showOnlyStep(null)}
        />
      </Show>
      <Show when={props.timeline.times.overlay[0]()}>
        {(overlay) => (
          <OverlayChip timeline={props.timeline} baseline={props.baseline} overlay={overlay()} />
        )}
      </Show>
      <Show when={getParam(LAID_PARAM)}>
        <Late>
          <LaidChip timeline={props.timeline} session={props.session} />
        </Late>
      </Show>
      <Show when={coloring().by === 'step'}>
        <span class="muted">steps next to each other differ</span>
      </Show>
      <Show when={props.gaps && props.gaps.drawn < props.gaps.all && props.gaps}>
        {(gaps) => <GapsChip gaps={gaps()} />}
      </Show>
      <Legend timeline={props.timeline} />
      <span class="spacer" />
      <span
        class="merge-legend muted"
        data-tip="Slices narrower than a pixel are merged. The height of the darker base shows how many are in a pixel; a paler color means idle time between them."
      >
        slices per pixel
        <For each={EXAMPLES.slice(1)}>
          {(count) => (
            <span class="merge-example">
              <i style={{ '--foot': `${(footRowsOf(count) / 6) * 100}%` }} />
              {count === 2 ? '2' : `${count}`}
            </span>
          )}
        </For>
        <span>or more</span>
      </span>
    </div>
  );
}
