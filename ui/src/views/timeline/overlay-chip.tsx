/** Says which step lies over which, lets the reader choose another one, and ends it. */
import { For, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';

import { signedText } from '../../compare/change';
import { plural } from '../../format/numbers';
import { Icon } from '../../shell/icons';
import type { Overlay } from '../../timeline/overlay';
import type { Timeline } from '../../timeline/timeline';
import { showToast } from '../../widgets/toast';
import type { TimelineStep } from '../../wire/generated/TimelineStep';
import { otherSteps, type Baseline } from './ghost';

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

export function OverlayChip(props: { timeline: Timeline; baseline: Baseline; overlay: Overlay }) {
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
