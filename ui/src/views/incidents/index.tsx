/** What the flight recorder noticed: the steps of recorded runs, and their incidents. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatCount, formatDate, formatDuration, plural } from '../../format/numbers';
import { shellQuote } from '../../format/text';
import { sessions } from '../../shell/session';
import { hrefTo } from '../../shell/state';
import { SESSIONS_VIEW } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { CopyButton } from '../../widgets/copy';
import { EmptyState } from '../../widgets/empty';
import type { Incident } from '../../wire/generated/Incident';
import type { IncidentsReport } from '../../wire/generated/IncidentsReport';
import type { RecordedRun } from '../../wire/generated/RecordedRun';
import { createAnswer } from '../../wire/report';
import { MetricChart } from './metric-chart';
import { RunChart } from './run-chart';
import { marksOf, runsInOrder, sessionOf, stepsText } from './run-marks';
import './incidents.css';

export default function IncidentsView() {
  // The run may go on.
  const report = createAnswer<IncidentsReport>(() => 'api/incidents', false);
  return (
    <div class="page incidents">
      <AnswerView answer={report}>
        {(data) => (
          <Show when={data().runs.length > 0} fallback={<NotRecorded />}>
            <header class="incidents-title">
              <h1>{plural(data().incidents.length, 'incident')}</h1>
              <span class="muted">in {plural(data().runs.length, 'recorded run')}</span>
              <span class="spacer" />
              <button onClick={() => report.retry()}>Read again</button>
              <a class="button" href={hrefTo({ session: null, view: SESSIONS_VIEW })}>
                All sessions
              </a>
            </header>
            <For each={runsInOrder(data().runs, data().incidents)}>
              {(run) => <Run run={run} incidents={data().incidents} />}
            </For>
          </Show>
        )}
      </AnswerView>
    </div>
  );
}

function Run(props: { run: RecordedRun; incidents: readonly Incident[] }) {
  const [pointed, setPointed] = createSignal<string | null>(null);
  const marks = createMemo(() => marksOf(props.run, props.incidents));
  const ranks = () =>
    props.run.ranks_read.length < props.run.rank_count
      ? `${formatCount(props.run.ranks_read.length)} of ${plural(props.run.rank_count, 'rank')}`
      : plural(props.run.rank_count, 'rank');
  return (
    <section class="card incidents-run" aria-label={`Run ${props.run.name}`}>
      <header>
        <h2>Run {props.run.name}</h2>
        <span class="muted">
          {ranks()} · {plural(props.run.step_count, 'step')} · median{' '}
          {formatDuration(props.run.median_ps)}
        </span>
      </header>
      <Show
        when={props.run.points.length > 0}
        fallback={<p class="muted incidents-none">No rank left a step in its ring.</p>}
      >
        <RunChart run={props.run} marks={marks()} pointed={pointed()} onPoint={setPointed} />
        <p class="muted incidents-note">
          The time of a step is that of its slowest rank, from the end of the step before to its own.
        </p>
      </Show>
      <For each={props.run.metrics}>
        {(metric) => <MetricChart run={props.run} metric={metric} marks={marks()} />}
      </For>
      <Show
        when={marks().length > 0}
        fallback={<p class="muted incidents-none">No rule noticed anything in this run, and no rank stopped without ending.</p>}
      >
        <ul class="incidents-list">
          <For each={marks()}>
            {({ incident }) => (
              <IncidentRow
                incident={incident}
                isPointed={pointed() === incident.id}
                onPoint={(isIn) => setPointed(isIn ? incident.id : null)}
              />
            )}
          </For>
        </ul>
      </Show>
    </section>
  );
}

function IncidentRow(props: {
  incident: Incident;
  isPointed: boolean;
  onPoint: (isIn: boolean) => void;
}) {
  const incident = () => props.incident;
  const session = () => sessionOf(incident());
  const noticed = () =>
    [
      formatDate(incident().epoch_ms),
      incident().rank === null ? '' : `rank ${incident().rank}`,
      incident().host === null ? '' : `on ${incident().host}`,
      `rule: ${incident().rule}`,
    ].filter(Boolean);
  return (
    <li
      classList={{ 'is-pointed': props.isPointed }}
      onPointerEnter={() => props.onPoint(true)}
      onPointerLeave={() => props.onPoint(false)}
    >
      <div class="incident-head">
        <strong>{incident().what}</strong>
        <span class="spacer" />
        <Show when={session()} fallback={<Uncaptured incident={incident()} />}>
          {(session) => (
            <a class="button" href={hrefTo({ session: session(), view: 'overview' })}>
              Open the capture
            </a>
          )}
        </Show>
      </div>
      <p>{incident().cause ?? 'The cause is not known: not all ranks have answered yet.'}</p>
      <For each={incident().metrics}>
        {(metric) => (
          <p>
            {metric.name}, {stepsText(metric)}: {metric.values.join(', ')}
          </p>
        )}
      </For>
      <p class="muted">{noticed().join(' · ')}</p>
      <details>
        <summary>Where each rank was</summary>
        <ul class="incident-ranks">
          <For each={incident().ranks}>
            {(rank) => (
              <li>
                rank {rank.rank} on {rank.host} (process {rank.pid}):{' '}
                {rank.step < 0 ? 'before a step ended' : `at step ${rank.step}`}
                <Show when={rank.place}>
                  , in <code>{rank.place}</code>
                </Show>
              </li>
            )}
          </For>
          <For each={incident().missing_ranks}>{(rank) => <li>rank {rank}: no answer</li>}</For>
        </ul>
        <p class="muted">
          {incident().is_derived ? 'Rings of the run' : 'Stacks of all threads'}:{' '}
          <code>{incident().folder}</code>
        </p>
      </details>
    </li>
  );
}

/** Captures elsewhere have a command; without any, that is said. */
function Uncaptured(props: { incident: Incident }) {
  const command = () => {
    const path = props.incident.captures[0]?.path;
    return path === undefined ? '' : `stepscope view ${shellQuote(path)}`;
  };
  return (
    <Show when={command()} fallback={<span class="muted">No capture</span>}>
      <span class="muted">The capture is not in this folder</span>
      <CopyButton class="quiet" text={command} tip={`Copy the command: ${command()}`}>
        Copy the command
      </CopyButton>
    </Show>
  );
}

function NotRecorded() {
  return (
    <EmptyState
      title={`No recorded run in ${sessions.data()?.root ?? 'this folder'}`}
      code="stepscope run --record -- python train.py"
    >
      The flight recorder keeps a record of every step, and captures all ranks of a job when a rule
      notices something: a slow step, a stall, a NaN, a process that died. This command records any
      JAX program; <code>stepscope.recorder()</code> does the same in your own loop.
    </EmptyState>
  );
}
