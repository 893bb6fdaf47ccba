/** The columns of the list of sessions. */
import { createSignal, For, Show } from 'solid-js';

import { formatCount, formatDate } from '../../format/numbers';
import { escapeRegex } from '../../format/text';
import { isNarrow } from '../../shell/rail-state';
import { isProblem } from '../../shell/warnings';
import { VerdictSign } from '../../widgets/kpi';
import { Middle } from '../../widgets/middle';
import { Sparkline } from '../../widgets/sparkline';
import type { Column } from '../../widgets/table/rows';
import type { TableState } from '../../widgets/table/state';
import type { SessionSummary } from '../../wire/types';
import { groupsOf, isKnown } from './known';
import { measuredOf } from './measured';
import { severityOf, verdictOf } from './severity';

/** Sessions checked, to be compared, in the order of checking. */
export const [checked, setChecked] = createSignal<readonly string[]>([]);

function toggleChecked(key: string): void {
  const rest = checked().filter((other) => other !== key);
  setChecked(rest.length < checked().length ? rest : [...rest, key]);
}

/** Pixels of the session's column on a phone. */
const NARROW_NAME = 190;

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
  {
    key: 'devices',
    title: 'Devices',
    figure: '',
    width: 150,
    value: (session) => session.devices,
    groupsOf: (session) => groupsOf(session, session.devices),
  },
  {
    key: 'program',
    title: 'Program',
    figure: 'sessions.session_program',
    width: 150,
    value: (session) => session.program,
    groupsOf: (session) => groupsOf(session, session.program),
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
    isUnsorted: true,
    value: () => null,
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
    order: severityOf,
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
    key: 'captured',
    title: 'Captured',
    figure: 'sessions.session_captured',
    width: 138,
    isOptional: true,
    value: (session) =>
      session.captured_epoch_ms === null ? null : formatDate(session.captured_epoch_ms),
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
    value: (session) => (isKnown(session) ? problemsOf(session).length : null),
    cell: (session) => (
      <Show
        when={problemsOf(session).length > 0}
        fallback={<span class="muted">{isKnown(session) ? 'none' : '–'}</span>}
      >
        <span
          class="session-warned"
          data-tip={problemsOf(session).map((warning) => warning.message).join('\n')}
        >
          {formatCount(problemsOf(session).length)}
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

const problemsOf = (session: SessionSummary) => session.warnings.filter(isProblem);

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


/** On a phone, two columns are in sight: the session and its step time. */
function withStepTimeFirst(columns: Column<SessionSummary>[]): Column<SessionSummary>[] {
  const [name, ...others] = columns;
  const step = others.find(({ key }) => key === 'step_ps');
  if (!name || !step) return columns;
  return [{ ...name, width: NARROW_NAME }, step, ...others.filter((column) => column !== step)];
}

/** All columns in their order. */
export function sessionColumns(root: string, state: TableState): Column<SessionSummary>[] {
  const columns = [
    ...COLUMNS.slice(0, 2),
    locationColumn(root),
    ...COLUMNS.slice(2, 4),
    tagsColumn(state),
    ...COLUMNS.slice(4),
  ];
  return isNarrow() ? withStepTimeFirst(columns) : columns;
}
