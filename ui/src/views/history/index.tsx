/** Figures over many runs, and where they changed: the sessions here, or a recorded history. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatFigure } from '../../format/figure-unit';
import { plural } from '../../format/numbers';
import { withUnits } from '../../format/units';
import { sessionCalled, sessions, summaryOf } from '../../shell/session';
import { getParam, hrefTo, navigate, selectionParams, setParams } from '../../shell/state';
import { SESSIONS_VIEW, type ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import { declared } from '../../widgets/table/declared';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { urlOf } from '../../wire/client';
import type { HistoryChange } from '../../wire/generated/HistoryChange';
import type { HistoryGroup } from '../../wire/generated/HistoryGroup';
import type { HistoryReport } from '../../wire/generated/HistoryReport';
import type { HistorySeries } from '../../wire/generated/HistorySeries';
import { createAnswer } from '../../wire/report';
import { HistoryChart } from './chart';
import { ownGroup, varies, withSpread } from './lines';
import '../../widgets/change.css';
import './history.css';

export default function HistoryView(props: ViewProps) {
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
            <Groups report={data()} own={ownGroup(data(), summaryOf(props.session)?.location)} />
            <Show when={data().groups.some((group) => group.run_count > 1)}>
              <Changes report={data()} />
            </Show>
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
  return withUnits(conclusion.replace(/\w+_\w+/g, (word) => titles.get(word) ?? word));
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
          <EmptyState title="No figure changed" actions={<CompareLatest report={props.report} />}>
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

/** Opens the latest run compared with the one before it; for recorded runs, the list of sessions. */
function CompareLatest(props: { report: HistoryReport }) {
  const latest = () => {
    const group = props.report.groups.findIndex(({ run_count }) => run_count > 1);
    return props.report.runs
      .flatMap((run, position) => (run.group === group ? [sessionOf(props.report, position)] : []))
      .slice(-2);
  };
  const href = () => {
    const [before, last] = latest();
    return before === undefined || last === undefined
      ? null
      : hrefTo({ session: last, view: 'compare', params: { baseline: before } });
  };
  return (
    <Show
      when={href()}
      fallback={
        <a class="button" href={hrefTo({ session: null, view: SESSIONS_VIEW })}>
          Show the sessions
        </a>
      }
    >
      {(found) => (
        <a class="button" href={found()}>
          Compare the two latest runs
        </a>
      )}
    </Show>
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
      <span>
        <Show when={props.report.groups.length > 1}>
          <span class="muted">{props.report.groups[props.change.group]?.name}: </span>
        </Show>
        {props.change.text}
      </span>
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

/** A card per workload with several runs, and one for the runs that have nothing to compare with. */
function Groups(props: {
  report: HistoryReport;
  /** The group of the session of the page, which comes first; -1 if there is none. */
  own: number;
}) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const several = () => {
    const all = props.report.groups.flatMap((group, position) =>
      group.run_count > 1 ? [{ group, position }] : [],
    );
    const isOwn = ({ position }: { position: number }) => position === props.own;
    return [...all.filter(isOwn), ...all.filter((each) => !isOwn(each))];
  };
  return (
    <>
      <For each={several()}>
        {({ group, position }) => (
          <Series
            report={props.report}
            group={group}
            isOwn={position === props.own && props.report.groups.length > 1}
            rows={props.report.rows.filter((series) => series.group === position)}
            pointed={pointed()}
            onPoint={setPointed}
          />
        )}
      </For>
      <SingleRuns report={props.report} />
    </>
  );
}

/** A run whose program or devices no other run shares. */
interface SingleRun {
  name: string;
  group: HistoryGroup;
  step: HistorySeries | undefined;
  session: string | undefined;
}

function SingleRuns(props: { report: HistoryReport }) {
  const rows = createMemo((): SingleRun[] =>
    props.report.runs.flatMap((run, position) => {
      const group = props.report.groups[run.group];
      if (!group || group.run_count > 1) return [];
      const own = props.report.rows.filter((series) => series.group === run.group);
      const step = own.find(({ metric }) => metric === 'step_time');
      return [{ name: run.name, group, step, session: sessionOf(props.report, position) }];
    }),
  );
  const columns = declared<SingleRun>('history.runs', [
    {
      key: 'name',
      width: 260,
      value: (run) => run.name,
      cell: (run) => (
        <Show when={run.session} fallback={run.name}>
          {(session) => (
            <a href={hrefTo({ session: session(), view: 'overview' })}>{run.name}</a>
          )}
        </Show>
      ),
    },
    {
      key: 'program',
      title: 'Program',
      figure: 'history.groups.program',
      width: 190,
      value: (run) => run.group.program || 'unknown',
    },
    {
      key: 'devices',
      title: 'Devices',
      figure: 'history.groups.devices',
      width: 250,
      value: (run) => run.group.devices || 'unknown',
    },
    {
      key: 'step_ps',
      title: 'Typical step',
      figure: 'history.rows.last',
      kind: 'duration',
      width: 110,
      value: (run) => run.step?.last ?? null,
    },
    {
      key: 'apart_because',
      title: 'Why alone',
      figure: 'history.groups.apart_because',
      width: 360,
      value: ({ group }) => group.apart_because || 'No other run of this program on these devices',
    },
  ]);
  return (
    <Show when={rows().length > 0}>
      <section class="card history-single">
        <header>
          <h2>Runs with nothing to compare with</h2>
          <span class="muted">{plural(rows().length, 'run')}</span>
        </header>
        <DataTable
          rows={rows()}
          columns={columns}
          state={localTableState('')}
          noun="run"
          fileName="stepscope-history-runs"
          isPlain
        />
      </section>
    </Show>
  );
}

function Series(props: {
  report: HistoryReport;
  group: HistoryGroup;
  /** Whether it has the session of the page, and others do not. */
  isOwn: boolean;
  rows: readonly HistorySeries[];
  /** The run under the pointer, in any chart; null if there is none. */
  pointed: number | null;
  onPoint: (run: number | null) => void;
}) {
  const moving = () => props.rows.filter(varies);
  const constant = () => props.rows.filter((series) => !varies(series));
  const open = (run: number) => {
    const session = sessionOf(props.report, run);
    if (session !== undefined) navigate({ session, view: 'overview' });
  };
  /** The run under the pointer, if it is in this group. */
  const pointed = () =>
    props.pointed !== null &&
    props.report.groups[props.report.runs[props.pointed]?.group ?? -1] === props.group
      ? props.pointed
      : null;
  return (
    <section class="card">
      <header>
        <h2 data-figure="history.runs.workload">{props.group.name}</h2>
        <span class="muted">
          {plural(props.group.run_count, 'run')}
          <Show when={props.isOwn}>, this session among them</Show>, oldest on the left
        </span>
      </header>
      <Show when={props.report.groups.length > 1}>
        <p class="history-group">
          {titled(props.group.conclusion, props.report.rows)}
          <Show when={props.group.apart_because}>
            {(why) => <span class="muted"> {why()}.</span>}
          </Show>
        </p>
      </Show>
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
                onPoint={props.onPoint}
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
  if (series.spread === null) return level;
  return withSpread(level, formatFigure(series.unit, series.spread));
}
