/** The list of sessions: what is there, and what could not be read. */
import { createMemo, createSignal, onCleanup, Show } from 'solid-js';

import { openCapture } from '../../capture/dialog';
import { formatCount, formatDate, plural } from '../../format/numbers';
import { COMPARE_VIEW, entryView, sessions } from '../../shell/session';
import { navigate, type Params } from '../../shell/state';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Middle } from '../../widgets/middle';
import { NotesList, Warnings } from '../../widgets/notes';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { SessionSummary } from '../../wire/types';
import './sessions.css';

/** Sessions checked, to be compared, in the order of checking. */
const [checked, setChecked] = createSignal<readonly number[]>([]);

function toggleChecked(id: number): void {
  const rest = checked().filter((other) => other !== id);
  setChecked(rest.length < checked().length ? rest : [...rest, id]);
}

const COLUMNS: Column<SessionSummary>[] = [
  {
    key: 'name',
    title: 'Session',
    figure: '',
    width: 200,
    value: (session) => session.name,
    cell: (session) => (
      <span class="session-cell">
        <input
          type="checkbox"
          class="session-check"
          aria-label={`Compare ${session.name}`}
          data-tip="Check two or more to compare them"
          checked={checked().includes(session.id)}
          disabled={session.state === 'failed'}
          onClick={(event) => event.stopPropagation()}
          onChange={() => toggleChecked(session.id)}
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
    key: 'kind',
    title: 'Kind',
    figure: 'session_kind',
    width: 140,
    value: (session) => session.kind,
  },
  {
    key: 'modified',
    title: 'Modified',
    figure: '',
    width: 140,
    value: (session) =>
      session.modified_epoch_ms === null ? null : formatDate(session.modified_epoch_ms),
  },
  {
    key: 'hosts',
    title: 'Hosts',
    figure: '',
    width: 100,
    value: (session) => session.hosts.join(', '),
  },
  { key: 'devices', title: 'Devices', figure: '', width: 140, value: (session) => session.devices },
  {
    key: 'size_bytes',
    title: 'Size',
    width: 90,
    kind: 'bytes',
    value: (session) => session.size_bytes,
  },
  {
    key: 'duration_ps',
    title: 'Duration',
    figure: 'session_duration_ps',
    width: 100,
    kind: 'duration',
    value: (session) => session.duration_ps,
  },
  {
    key: 'step_count',
    title: 'Steps',
    width: 70,
    kind: 'count',
    value: (session) => session.step_count,
  },
  {
    key: 'warnings',
    title: 'Warnings',
    figure: '',
    width: 90,
    kind: 'count',
    value: (session) => session.warnings.length,
    cell: (session) => (
      <Show when={session.warnings.length > 0} fallback={<span class="muted">none</span>}>
        <span
          class="session-warned"
          data-tip={session.warnings.map((warning) => warning.message).join('\n')}
        >
          {formatCount(session.warnings.length)}
        </span>
      </Show>
    ),
  },
];

/** Where it is, below the root where it can be said so. */
function locationColumn(root: string): Column<SessionSummary> {
  const below = (location: string) =>
    location.startsWith(`${root}/`) ? location.slice(root.length + 1) : location;
  return {
    key: 'location',
    title: 'Location',
    figure: '',
    width: 150,
    value: (session) => below(session.location),
  };
}

export default function SessionsView() {
  const table = urlTableState('-modified');
  // Others may have been recorded or opened since.
  const timer = setInterval(
    () => document.visibilityState === 'visible' && sessions.retry(),
    10_000,
  );
  onCleanup(() => clearInterval(timer));
  if (sessions.data()) sessions.retry();

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
                <CompareButton sessions={report().sessions} />
              </div>
              <Warnings notes={report().notes} />
              <section class="card sessions-table">
                <DataTable
                  rows={report().sessions}
                  columns={[...COLUMNS, locationColumn(report().root)]}
                  state={table}
                  noun="session"
                  fileName="stepscope-sessions"
                  isPlain={report().sessions.length <= 8}
                  onRow={(session) => navigate({ session: session.id, view: entryView(session) })}
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

/** The oldest of the sessions checked is the baseline. */
function CompareButton(props: { sessions: readonly SessionSummary[] }) {
  const chosen = () =>
    checked()
      .flatMap((id) => props.sessions.find((session) => session.id === id) ?? [])
      .sort((one, other) => (one.modified_epoch_ms ?? 0) - (other.modified_epoch_ms ?? 0));
  const compare = () => {
    const [baseline, session, ...also] = chosen();
    if (!baseline || !session) return;
    const params: Params = { baseline: String(baseline.id) };
    if (also.length > 0) params['also'] = also.map((each) => each.id).join(',');
    setChecked([]);
    navigate({ session: session.id, view: COMPARE_VIEW, params });
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
            : `${chosen()[0]?.name} is the baseline: it is the oldest`
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
      Stepscope looks for files named *.xplane.pb (also .gz, .zst, .zip, .tar), at any depth. These
      lines of a JAX program record one; then open the folder with `stepscope view /tmp/profile`.
    </EmptyState>
  );
}
