/** Figures over many runs, and where they changed: the sessions here, or a recorded history. */
import { createSignal, For, Show } from 'solid-js';

import { formatFigure } from '../../format/figure-unit';
import { plural } from '../../format/numbers';
import { sessionCalled, sessions } from '../../shell/session';
import { getParam, hrefTo, navigate, selectionParams, setParams } from '../../shell/state';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import { urlOf } from '../../wire/client';
import type { HistoryChange } from '../../wire/generated/HistoryChange';
import type { HistoryReport } from '../../wire/generated/HistoryReport';
import type { HistorySeries } from '../../wire/generated/HistorySeries';
import { createAnswer } from '../../wire/report';
import { HistoryChart } from './chart';
import { varies } from './lines';
import '../../widgets/change.css';
import './history.css';

export default function HistoryView() {
  const report = createAnswer<HistoryReport>(() => {
    const { steps, time, device, host } = selectionParams();
    const history = getParam('history');
    // The selection does not apply to a recorded history.
    const selection = history === undefined ? { steps, time, device, host } : {};
    return urlOf('api/comparisons/history', { history, ...selection });
  }, false);
  return (
    <div class="page">
      <Sources />
      <AnswerView answer={report}>
        {(data) => (
          <div class="history-page">
            <section class="card history-answer" aria-label="Answer">
              {titled(data().conclusion, data().rows)}
            </section>
            <Warnings notes={data().notes} />
            <Series report={data()} />
            <Changes report={data()} />
            <Remarks notes={data().notes} />
          </div>
        )}
      </AnswerView>
    </div>
  );
}

/** The conclusion with metric names replaced by titles, as in the charts. */
function titled(conclusion: string, rows: readonly HistorySeries[]): string {
  const titles = new Map(rows.map(({ metric, title }) => [metric, title.toLowerCase()]));
  return conclusion.replace(/\w+_\w+/g, (word) => titles.get(word) ?? word);
}

/** Chooses the runs: the sessions of this folder, or a history in it. */
function Sources() {
  const histories = () => sessions.data()?.histories ?? [];
  const chosen = () => getParam('history');
  return (
    <Show when={histories().length > 0}>
      <div class="history-sources" role="group" aria-label="Runs">
        <button
          aria-pressed={chosen() === undefined}
          onClick={() => setParams({ history: null }, false)}
        >
          {plural(sessions.data()?.sessions.length ?? 0, 'session')} here
        </button>
        <For each={histories()}>
          {(name) => (
            <button
              class="mono"
              aria-pressed={chosen() === name}
              onClick={() => setParams({ history: name }, false)}
            >
              {name}
            </button>
          )}
        </For>
      </div>
    </Show>
  );
}

function Changes(props: { report: HistoryReport }) {
  return (
    <section class="card">
      <header>
        <h2 data-figure="history.change">What changed, and when</h2>
        <span class="muted">latest first</span>
      </header>
      <Show
        when={props.report.changes.length > 0}
        fallback={
          <EmptyState title="No figure changed">
            No change in {plural(props.report.runs.length, 'run')} is larger than chance explains.
          </EmptyState>
        }
      >
        <ul class="history-changes">
          <For each={props.report.changes}>
            {(change) => <ChangeRow change={change} report={props.report} />}
          </For>
        </ul>
      </Show>
    </section>
  );
}

function ChangeRow(props: { change: HistoryChange; report: HistoryReport }) {
  const session = () => sessionOf(props.report, props.change.run);
  const commits = () =>
    [props.change.previous_commit, props.change.commit]
      .filter((commit) => commit !== '')
      .map((commit) => commit.slice(0, 9))
      .join('..');
  return (
    <li>
      <span
        role="img"
        class={`change-dot is-${props.change.is_worse ? 'worse' : 'better'}`}
        aria-label={props.change.is_worse ? 'worse' : 'better'}
      />
      <span>{props.change.text}</span>
      <Show when={commits()}>
        <span class="mono muted">{commits()}</span>
      </Show>
      <Show when={session() !== undefined}>
        <a class="button" href={hrefTo({ session: session() ?? null, view: 'overview' })}>
          Open
        </a>
      </Show>
    </li>
  );
}

/** The session of a run; undefined for a recorded run. */
function sessionOf(report: HistoryReport, run: number): string | undefined {
  const found = report.runs[run];
  return found?.source === 'session' ? sessionCalled(found.name) : undefined;
}

function Series(props: { report: HistoryReport }) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const moving = () => props.report.rows.filter(varies);
  const constant = () => props.report.rows.filter((series) => !varies(series));
  const open = (run: number) => {
    const session = sessionOf(props.report, run);
    if (session !== undefined) navigate({ session, view: 'overview' });
  };
  return (
    <section class="card">
      <header>
        <h2 data-figure="history.runs">Figures by run</h2>
        <span class="muted">{plural(props.report.runs.length, 'run')}, oldest on the left</span>
      </header>
      <div class="history-series">
        <For each={moving()}>
          {(series) => (
            <figure>
              <figcaption>
                <strong>{series.title}</strong>
                <span class="number" classList={{ 'is-pointed': pointed() !== null }}>
                  {formatFigure(series.unit, valueAt(series, pointed()))}
                </span>
                <span class="muted number" data-figure="history.rows.level">
                  level {levelText(series)}
                </span>
              </figcaption>
              <HistoryChart
                report={props.report}
                series={series}
                pointed={pointed()}
                onPoint={setPointed}
                onRun={open}
              />
            </figure>
          )}
        </For>
      </div>
      <Show when={constant().length > 0}>
        <p class="history-constant muted">
          The same in every run:{' '}
          {constant()
            .map((series) => `${series.title} ${formatFigure(series.unit, series.last)}`)
            .join(', ')}
          .
        </p>
      </Show>
    </section>
  );
}

/** The figure of the run under the pointer, otherwise of the latest. */
function valueAt(series: HistorySeries, run: number | null): number | null {
  return run === null ? series.last : (series.values[run] ?? null);
}

function levelText(series: HistorySeries): string {
  const level = formatFigure(series.unit, series.level);
  return series.spread === null
    ? level
    : `${level} ± ${formatFigure(series.unit, series.spread)}`;
}
