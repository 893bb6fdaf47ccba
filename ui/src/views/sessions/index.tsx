/** The list of sessions, including those that could not be read. */
import { createEffect, createMemo, createSignal, For, Show } from 'solid-js';

import { openCapture } from '../../capture/open';
import { plural } from '../../format/numbers';
import { escapeRegex, shellQuote } from '../../format/text';
import { COMPARE_VIEW, entryView, sessions } from '../../shell/session';
import { NUMBERED_PARAM } from '../../shell/hash';
import {
  getParam,
  hrefTo,
  INCIDENTS_VIEW,
  navigate,
  setParams,
  SQL_VIEW,
  type Params,
} from '../../shell/state';
import { AnswerView } from '../../widgets/answer';
import { CopyButton } from '../../widgets/copy';
import { EmptyState } from '../../widgets/empty';
import { NotesList, Warnings } from '../../widgets/notes';
import { urlTableState, type TableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { SessionsReport, SessionSummary } from '../../wire/types';
import { checked, sessionColumns, setChecked } from './columns';
import { isMeasuring, measure, measuredOf } from './measured';
import { FIGURES, GROUPS } from './over-time';
import { PLOT_PARAM, SessionsPlot } from './plot';
import './sessions.css';

/** So few sessions need neither a filter nor groups. */
const FEW = 3;
/** Up to so many sessions, all rows are in the page, so that the browser's own search finds them. */
const ALL_ROWS = 200;

/** Filters by what the sessions share. */
function menuOf(session: SessionSummary, state: TableState) {
  const filters = [session.program, session.devices, ...session.tags].filter(Boolean);
  return filters.map((text) => ({
    title: 'Show only sessions with',
    detail: text,
    run: () => state.setQuery(escapeRegex(text)),
  }));
}

export default function SessionsView() {
  // By number: the latest capture first.
  const table = urlTableState('-id');
  // Other sessions may have been recorded or opened since; the shell asks again and again.
  if (sessions.data()) sessions.retry();
  createEffect(() => {
    const open = (sessions.data()?.sessions ?? []).filter(({ state }) => state === 'open');
    void measure(open);
  });

  return (
    <AnswerView answer={sessions}>
      {(report) => {
        const infos = createMemo(() => report().notes.filter((note) => note.kind === 'info'));
        const columns = createMemo(() => sessionColumns(report().root, table));
        const [listed, setListed] = createSignal<readonly SessionSummary[]>([]);
        const isLong = () => report().sessions.length > ALL_ROWS;
        return (
          <Show when={report().sessions.length > 0} fallback={<NoSessions report={report()} />}>
            <div class="page" classList={{ 'is-filling': isLong() }}>
              <div class="sessions-title">
                <h1>{plural(report().sessions.length, 'session')}</h1>
                <Show when={report().root !== '.'}>
                  <span class="muted mono">{report().root}</span>
                </Show>
                <button onClick={openCapture}>Capture a running job</button>
                <a class="button" href={hrefTo({ session: null, view: SQL_VIEW })}>
                  Query in SQL
                </a>
                <IncidentsLink report={report()} />
                <MeasureButton sessions={report().sessions} />
                <CompareButton sessions={report().sessions} />
              </div>
              <NumberedLink />
              <IndexHint report={report()} />
              <Warnings notes={report().notes} />
              <Show when={getParam(PLOT_PARAM)}>
                <SessionsPlot sessions={listed()} />
              </Show>
              <section class="card sessions-table" classList={{ 'is-main': isLong() }}>
                <DataTable
                  rows={report().sessions}
                  columns={columns()}
                  state={table}
                  noun="session"
                  fileName="stepscope-sessions"
                  isPlain={report().sessions.length <= FEW}
                  isFilling={isLong()}
                  opensGroups
                  onFiltered={setListed}
                  tools={<TableChoices />}
                  absent="Not recorded, or known only after stepscope index"
                  menu={(session) => menuOf(session, table)}
                  onRow={(session) => navigate({ session: session.key, view: entryView(session) })}
                />
              </section>
              <Show when={infos().length > 0}>
                <details class="card remarks">
                  <summary>Other files found ({infos().length})</summary>
                  <NotesList notes={infos()} />
                </details>
              </Show>
            </div>
          </Show>
        );
      }}
    </AnswerView>
  );
}

/** What the rows are grouped by, and whether a figure of them is plotted. */
function TableChoices() {
  return (
    <>
      <label class="sessions-choice">
        Group by{' '}
        <select
          value={getParam('group') ?? ''}
          onChange={(event) => setParams({ group: event.currentTarget.value }, false)}
        >
          <option value="">nothing</option>
          <For each={GROUPS}>{({ key, title }) => <option value={key}>{title}</option>}</For>
        </select>
      </label>
      <button
        aria-pressed={getParam(PLOT_PARAM) !== undefined}
        data-tip="Plot a figure of the sessions listed over time, colored by group"
        onClick={() =>
          setParams({ [PLOT_PARAM]: getParam(PLOT_PARAM) ? null : FIGURES[0]!.key }, false)
        }
      >
        Plot over time
      </button>
    </>
  );
}

/** With fewer sessions, measuring them takes no time. */
const MANY = 10;

/** How the figures of all sessions become known, where most are not. */
function IndexHint(props: { report: SessionsReport }) {
  const traces = createMemo(() => props.report.sessions.filter(({ kind }) => kind.includes('trace')));
  const unknown = () => traces().filter(({ is_indexed }) => !is_indexed).length;
  const isShown = () => traces().length >= MANY && unknown() > traces().length / 2;
  const command = () => `stepscope index ${shellQuote(props.report.root)}`;
  return (
    <Show when={isShown()}>
      <p class="index-hint muted">
        <span>
          {plural(unknown(), 'session')} are not indexed. This command finds step time, MFU and
          verdict of all of them, once:
        </span>{' '}
        <code>{command()}</code>
        <CopyButton class="quiet" text={command} tip="Copy the command">
          Copy
        </CopyButton>
      </p>
    </Show>
  );
}

/** Shown for a link with a session number, which opens nothing because numbers may have changed. */
function NumberedLink() {
  return (
    <Show when={getParam(NUMBERED_PARAM)}>
      {(number) => (
        <p class="numbered-link" role="status">
          <span>
            The link refers to session {number()} by its number. Numbers change when sessions are
            added. Choose the session below to get a permanent link.
          </span>
          <button class="quiet" onClick={() => setParams({ [NUMBERED_PARAM]: null }, true)}>
            Dismiss
          </button>
        </p>
      )}
    </Show>
  );
}

/** Asks for the list, in between only if it is not on its way: of thousands of sessions it takes a while. */
function askAgain(isLast: boolean): void {
  if (isLast || !sessions.isLoading()) sessions.retry();
}

/** Opens the sessions one after another for their step times. */
function MeasureButton(props: { sessions: readonly SessionSummary[] }) {
  const rest = () =>
    props.sessions.filter(
      (session) =>
        measuredOf(session) === undefined &&
        session.kind.includes('trace') &&
        session.state !== 'failed',
    );
  return (
    <Show when={rest().length > 0}>
      <button
        disabled={isMeasuring()}
        data-tip="Opens every session, one after another, for its step time. In a terminal, stepscope index does it once and keeps it."
        onClick={() => void measure(rest(), askAgain)}
      >
        {isMeasuring() ? `Measuring, ${rest().length} left …` : 'Measure all steps'}
      </button>
    </Show>
  );
}

/** The oldest of the sessions checked is the baseline. */
function CompareButton(props: { sessions: readonly SessionSummary[] }) {
  const chosen = () =>
    checked()
      .flatMap((key) => props.sessions.find((session) => session.key === key) ?? [])
      .sort((one, other) => other.id - one.id);
  const compare = () => {
    const [baseline, session, ...also] = chosen();
    if (!baseline || !session) return;
    const params: Params = { baseline: baseline.key };
    if (also.length > 0) params['also'] = also.map((each) => each.key).join(',');
    setChecked([]);
    navigate({ session: session.key, view: COMPARE_VIEW, params });
  };
  return (
    <Show
      when={chosen().length > 0}
      fallback={
        <Show when={props.sessions.length > 1}>
          <span class="muted">Check two or more to compare them</span>
        </Show>
      }
    >
      <button
        class="primary"
        disabled={chosen().length < 2}
        data-tip={
          chosen().length < 2
            ? 'Check another session'
            : `${chosen()[0]?.name} is the baseline, because it is the oldest`
        }
        onClick={compare}
      >
        {chosen().length < 2
          ? 'Compare with …'
          : `Compare ${plural(chosen().length, 'session')}`}
      </button>
      <button class="quiet" onClick={() => setChecked([])}>
        Clear
      </button>
    </Show>
  );
}

/** To what the flight recorder noticed, if a run was recorded here. */
function IncidentsLink(props: { report: SessionsReport }) {
  return (
    <Show when={props.report.incident_count !== null}>
      <a class="button" href={hrefTo({ session: null, view: INCIDENTS_VIEW })}>
        {plural(props.report.incident_count ?? 0, 'incident')}
      </a>
    </Show>
  );
}

function NoSessions(props: { report: SessionsReport }) {
  return (
    <EmptyState
      title={`No profile in ${props.report.root}`}
      actions={
        <>
          <button onClick={openCapture}>Capture a running job</button>
          <IncidentsLink report={props.report} />
        </>
      }
      code={
        'import jax\n\nwith jax.profiler.trace("/tmp/profile"):\n    for step in range(5):\n        with jax.profiler.StepTraceAnnotation("train", step_num=step):\n            state = train_step(state, batch)\n    jax.block_until_ready(state)'
      }
    >
      Stepscope looks for files named *.xplane.pb (also .gz, .zst, .zip, .tar), at any depth. This
      code in a JAX program records one; then open the folder with{' '}
      <code>stepscope view /tmp/profile</code>.
    </EmptyState>
  );
}
