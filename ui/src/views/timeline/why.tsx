/** Why the selected slice of a device started when it did: what it waited for. */
import { createSignal, For, Match, Show, Switch } from 'solid-js';

import { formatDuration } from '../../format/numbers';
import { sentence } from '../../format/text';
import { shared } from '../../shell/shared';
import { formatSliceRef } from '../../timeline/address';
import type { Commands } from '../../timeline/commands';
import { Prose } from '../../widgets/prose';
import type { CriticalPathReport } from '../../wire/generated/CriticalPathReport';
import type { SliceDetails } from '../../wire/generated/SliceDetails';
import type { WaitRow } from '../../wire/generated/WaitRow';
import { createAnswer, reportUrl } from '../../wire/report';
import type { PanelProps } from './drawer';
import { pathSelection } from './path';

/** The question, and its answer once it was asked. Another slice is another question. */
export function WhyNow(props: PanelProps & { details: SliceDetails }) {
  const isOnDevice = () =>
    props.timeline.report.groups.some(
      ({ kind, tracks }) =>
        kind === 'device' && tracks.some(({ track }) => track === props.details.slice.track),
    );
  // A single-file report has no server that could answer.
  const details = () => !shared() && isOnDevice() && props.details;
  return (
    <Show when={details()} keyed>
      {({ slice }) => (
        <Question
          slice={formatSliceRef(slice)}
          session={props.session}
          commands={props.commands}
        />
      )}
    </Show>
  );
}

function Question(props: { slice: string; session: string; commands: Commands }) {
  const [isAsked, setAsked] = createSignal(false);
  const answer = createAnswer<CriticalPathReport>(() => {
    if (!isAsked()) return null;
    const options = { ...pathSelection(), slice: props.slice, limit: 1 };
    return reportUrl(props.session, 'critical_path', options);
  });
  return (
    <div class="slice-why">
      <Switch
        fallback={
          <button
            onClick={() => setAsked(true)}
            data-tip="Show what this slice waited for, from the critical path"
          >
            Why did it start now?
          </button>
        }
      >
        <Match when={answer.error()}>
          {(error) => (
            <p class="muted">
              <Prose text={sentence(error().message)} />
            </p>
          )}
        </Match>
        <Match when={answer.isLoading()}>
          <p class="muted" role="status">
            Computing …
          </p>
        </Match>
        <Match when={answer.data()}>
          {(report) => <Reasons report={report()} commands={props.commands} />}
        </Match>
      </Switch>
    </div>
  );
}

function Reasons(props: { report: CriticalPathReport; commands: Commands }) {
  return (
    <>
      <p>
        <Prose text={props.report.is_admitted ? props.report.why : props.report.refusal} />
      </p>
      <Show when={props.report.waits.length > 0}>
        <ul class="waits" aria-label="What it waited for">
          <For each={props.report.waits}>
            {(wait) => <Wait wait={wait} commands={props.commands} />}
          </For>
        </ul>
      </Show>
    </>
  );
}

function Wait(props: { wait: WaitRow; commands: Commands }) {
  const wait = () => props.wait;
  const latency = () =>
    wait().lag_ps > 0 ? `Least time between the two: ${formatDuration(wait().lag_ps)}` : undefined;
  return (
    <li>
      <span class="muted">{wait().reason}</span>
      <Show when={wait().slice} fallback={<span class="mono">{wait().what}</span>}>
        {(slice) => (
          <button
            class="fact-link mono"
            onClick={() => void props.commands.goTo(slice())}
            data-tip="Select it"
          >
            {wait().what}
          </button>
        )}
      </Show>
      <span class="muted">{wait().place}</span>
      <span class="number" data-tip={latency()}>
        {overText(wait().before_ps)}
      </span>
      <Show when={wait().is_last}>
        <span class="wait-last" data-tip="What the slice waited for last">
          last
        </span>
      </Show>
    </li>
  );
}

/** When something was over, as seen from the start of the slice. */
function overText(beforePs: number): string {
  const length = formatDuration(Math.abs(beforePs));
  return beforePs >= 0 ? `over ${length} before` : `over ${length} after the start`;
}
