/** The list of sessions, including those that could not be read. */
import { createEffect, createMemo, createSignal, For, Show } from 'solid-js';

import { openCapture } from '../../capture/open';
import { formatCount, formatDate, plural } from '../../format/numbers';
import { escapeRegex } from '../../format/text';
import { COMPARE_VIEW, entryView, sessions } from '../../shell/session';
import { NUMBERED_PARAM } from '../../shell/hash';
import { getParam, hrefTo, navigate, setParams, SQL_VIEW, type Params } from '../../shell/state';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { VerdictSign } from '../../widgets/kpi';
import { Middle } from '../../widgets/middle';
import { Sparkline } from '../../widgets/sparkline';
import { NotesList, Warnings } from '../../widgets/notes';
import type { Column } from '../../widgets/table/rows';
import { urlTableState, type TableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { VerdictKind } from '../../wire/generated/VerdictKind';
import type { SessionSummary } from '../../wire/types';
import { isMeasuring, measure, measuredOf } from './measured';
import './sessions.css';

/** Sessions checked, to be compared, in the order of checking. */
const [checked, setChecked] = createSignal<readonly string[]>([]);

function toggleChecked(key: string): void {
  const rest = checked().filter((other) => other !== key);
  setChecked(rest.length < checked().length ? rest : [...rest, key]);
}

const COLUMNS: Column<SessionSummary>[] = [
  {
    key: 'name',
    title: 'Session',
    figure: '',
    width: 236,
    value: (session) => session.name,
    cell: (session) => (
      <span class="session-cell">
        <input
          type="checkbox"
          class="session-check"
          aria-label={`Compare ${session.name}`}
          data-tip="Check two or more to compare them"
          checked={checked().includes(session.key)}
          disabled={session.state === 'failed'}
          onClick={(event) => event.stopPropagation()}
          onChange={() => toggleChecked(session.key)}
        />
        <strong>
          <Middle text={session.name} />
        </strong>
        <Show when={session.state === 'failed'}>
          <span class="session-failed" data-tip={session.error}>
            cannot be read
          </span>
        </Show>
      </span>
    ),
  },
  {
    key: 'id',
    title: '#',
    figure: 'sessions.session_number',
    width: 44,
    kind: 'count',
    value: (session) => session.id,
  },
  { key: 'devices', title: 'Devices', figure: '', width: 120, value: (session) => session.devices },
  {
    key: 'program',
    title: 'Program',
    figure: 'sessions.session_program',
    width: 150,
    value: (session) => session.program,
    cell: (session) => <Middle text={session.program || '–'} />,
  },
  {
    key: 'step_ps',
    title: 'Step time',
    figure: 'sessions.session_step_ps',
    width: 104,
    kind: 'duration',
    value: (session) => measuredOf(session)?.step_ps ?? null,
  },
  {
    key: 'step_trend',
    title: 'Step by step',
    figure: '',
    width: 110,
    value: (session) => measuredOf(session)?.heights.length ?? null,
    cell: (session) => (
      <Show when={(measuredOf(session)?.heights.length ?? 0) > 1}>
        <Sparkline values={measuredOf(session)?.heights ?? []} />
      </Show>
    ),
  },
  {
    key: 'mfu_ratio',
    title: 'MFU',
    figure: 'sessions.session_mfu',
    width: 70,
    kind: 'ratio',
    isOptional: true,
    value: (session) => session.mfu_ratio,
  },
  {
    key: 'verdict',
    title: 'Verdict',
    figure: 'sessions.session_verdict',
    width: 104,
    isOptional: true,
    value: (session) => session.verdict,
    cell: (session) => (
      <Show when={verdictOf(session)} fallback={<span class="muted">–</span>}>
        {(verdict) => (
          <span data-tip={session.verdict_reason || undefined}>
            <VerdictSign verdict={verdict()} />
          </span>
        )}
      </Show>
    ),
  },
  {
    key: 'step_count',
    title: 'Steps',
    width: 62,
    kind: 'count',
    value: (session) => session.step_count,
  },
  {
    key: 'modified',
    title: 'Modified',
    figure: '',
    width: 138,
    value: (session) =>
      session.modified_epoch_ms === null ? null : formatDate(session.modified_epoch_ms),
  },
  {
    key: 'duration_ps',
    title: 'Duration',
    figure: 'sessions.session_duration_ps',
    width: 92,
    kind: 'duration',
    value: (session) => session.duration_ps,
  },
  {
    key: 'size_bytes',
    title: 'Size',
    width: 78,
    kind: 'bytes',
    value: (session) => session.size_bytes,
  },
  {
    key: 'kind',
    title: 'Kind',
    figure: 'sessions.session_kind',
    width: 136,
    value: (session) => session.kind,
  },
  {
    key: 'warnings',
    title: 'Warnings',
    figure: '',
    width: 82,
    kind: 'count',
    value: (session) => (isKnown(session) ? session.warnings.length : null),
    cell: (session) => (
      <Show
        when={session.warnings.length > 0}
        fallback={<span class="muted">{isKnown(session) ? 'none' : '–'}</span>}
      >
        <span
          class="session-warned"
          data-tip={session.warnings.map((warning) => warning.message).join('\n')}
        >
          {formatCount(session.warnings.length)}
        </span>
      </Show>
    ),
  },
  {
    key: 'git_commit',
    title: 'Commit',
    figure: 'sessions.session_commit',
    width: 96,
    isOptional: true,
    value: (session) => session.git_commit,
    cell: (session) => <span class="mono">{session.git_commit?.slice(0, 10) ?? '–'}</span>,
  },
  {
    key: 'hosts',
    title: 'Hosts',
    figure: '',
    width: 80,
    value: (session) => session.hosts.join(', '),
  },
];

const VERDICTS: readonly VerdictKind[] = ['good', 'warning', 'bad'];

const verdictOf = ({ verdict }: SessionSummary): VerdictKind | undefined =>
  VERDICTS.find((kind) => kind === verdict);

/** Whether the session is or was fully open; only then are its warnings known. */
const isKnown = (session: SessionSummary): boolean =>
  session.state === 'open' ||
  (session.state !== 'in_parts' && (session.devices !== '' || session.duration_ps !== null));

/** The log directory of a run: its location without `plugins/profile/<run>`. */
const folderOf = (location: string): string =>
  location.replace(/\/plugins\/profile\/[^/]+$/, '');

/** Tags; a click filters by one. */
function tagsColumn(state: TableState): Column<SessionSummary> {
  return {
    key: 'tags',
    title: 'Tags',
    figure: 'sessions.session_tags',
    width: 130,
    isOptional: true,
    value: (session) => session.tags.join(', '),
    groupsOf: (session) => session.tags,
    cell: (session) => (
      <span class="session-tags">
        <For each={session.tags}>
          {(tag) => (
            <button
              class="session-tag"
              data-tip={`Show sessions with “${tag}” only`}
              tabindex="-1"
              onClick={(event) => {
                event.stopPropagation();
                state.setQuery(escapeRegex(tag));
              }}
            >
              {tag}
            </button>
          )}
        </For>
      </span>
    ),
  };
}

/** The location, relative to the root if it is below it. */
function locationColumn(root: string): Column<SessionSummary> {
  const below = (location: string) =>
    location.startsWith(`${root}/`) ? location.slice(root.length + 1) : location;
  return {
    key: 'location',
    title: 'Location',
    figure: '',
    width: 190,
    value: (session) => below(session.location),
    cell: (session) => (
      <span data-tip={session.location}>
        <Middle text={folderOf(below(session.location))} />
      </span>
    ),
  };
}

/** So few sessions need neither a filter nor groups. */
const FEW = 3;

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
        return (
          <Show when={report().sessions.length > 0} fallback={<NoSessions root={report().root} />}>
            <div class="page">
              <div class="sessions-title">
                <h1>{plural(report().sessions.length, 'session')}</h1>
                <Show when={report().root !== '.'}>
                  <span class="muted mono">{report().root}</span>
                </Show>
                <button onClick={openCapture}>Capture a running job</button>
                <a class="button" href={hrefTo({ session: null, view: SQL_VIEW })}>
                  Query in SQL
                </a>
                <MeasureButton sessions={report().sessions} />
                <CompareButton sessions={report().sessions} />
              </div>
              <NumberedLink />
              <Warnings notes={report().notes} />
              <section class="card sessions-table">
                <DataTable
                  rows={report().sessions}
                  columns={[
                    ...COLUMNS.slice(0, 2),
                    locationColumn(report().root),
                    ...COLUMNS.slice(2, 4),
                    tagsColumn(table),
                    ...COLUMNS.slice(4),
                  ]}
                  state={table}
                  noun="session"
                  fileName="stepscope-sessions"
                  isPlain={report().sessions.length <= FEW}
                  opensGroups
                  absent="No session has"
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
        onClick={() => void measure(rest())}
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

function NoSessions(props: { root: string }) {
  return (
    <EmptyState
      title={`No profile in ${props.root}`}
      actions={<button onClick={openCapture}>Capture a running job</button>}
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
