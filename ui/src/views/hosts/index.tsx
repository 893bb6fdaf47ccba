/** Hosts and devices side by side: which is late, what it was doing, and how well clocks agree. */
import { For, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { formatDuration, formatRatio, MISSING, plural } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { hrefTo, navigate, select, selectionParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { timelineParams } from '../../timeline/link';
import { AnswerView } from '../../widgets/answer';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import { OneOnly } from '../../widgets/one-only';
import { CODE_STEPS } from '../../widgets/steps/source';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { BlameRow } from '../../wire/generated/BlameRow';
import type { ClockRow } from '../../wire/generated/ClockRow';
import type { HostRow } from '../../wire/generated/HostRow';
import type { HostsReport } from '../../wire/generated/HostsReport';
import { createReport } from '../../wire/report';
import { HeatMap } from './heat-map';
import { HOST_PARTS, partOf } from './parts';
import './hosts.css';
import { declared, type Layout } from '../../widgets/table/declared';

/** Hosts of two runs rarely have the same names, so they are compared in order. */
const COMPARE = compareTable('hosts.rows', (report: HostsReport) => report.rows);

export default function HostsView(props: ViewProps) {
  const report = createReport(
    'hosts',
    () => props.session,
    () => ({ ...selectionParams(), limit: 0 }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <div class="page">
          <Warnings notes={data().notes} />
          <Blame report={data()} />
          <Show when={data().cells.length > 0} fallback={<NoSteps />}>
            <Show when={data().cells.length > 1} fallback={<OneCell report={data()} />}>
              <HeatMap report={data()} />
            </Show>
          </Show>
          <Hosts report={data()} session={props.session} />
          <Clocks report={data()} />
          <Remarks notes={data().notes} />
        </div>
      )}
    </AnswerView>
  );
}

/** Opens the timeline between two times, at what kept a host or device. */
function openBetween(fromPs: number, untilPs: number, place: string) {
  const params = timelineParams(fromPs, untilPs - fromPs, { place, isIdle: true });
  navigate({ view: 'timeline', params });
}

/** The ranked list of hosts or devices that the others waited for. */
function Blame(props: { report: HostsReport }) {
  const most = () => Math.max(1, props.report.blame[0]?.caused_ps ?? 1);
  const hasHosts = () => props.report.rows.length > 1;
  const placeOf = (row: BlameRow) =>
    hasHosts() ? row.host : (row.device.split(',')[0] ?? '').trim();
  const shown = (): readonly BlameRow[] => props.report.blame.slice(0, 8);
  return (
    <Show when={shown().length > 0}>
      <section class="card">
        <header>
          <h2>Who the others waited for</h2>
          <span class="muted" data-figure="hosts.rows.caused_ps">
            per step, the last to arrive at collectives, and what it did before
          </span>
        </header>
        <ol class="blame">
          <For each={shown()}>
            {(row) => (
              <li>
                <button
                  class="blame-row"
                  data-tip={`Show step ${row.step}, its costliest, in the timeline`}
                  onClick={() => openBetween(row.from_ps, row.until_ps, placeOf(row))}
                >
                  <span class="blame-who mono">{hasHosts() ? row.host : row.device}</span>
                  <span class="blame-what">
                    <Show when={row.activity} fallback={<span class="muted">cause not recorded</span>}>
                      <span class="mono">{row.activity}</span>
                      <span class="muted">
                        {' '}
                        {formatDuration(row.activity_ps)} on the{' '}
                        {row.activity_on === 'device' ? 'device' : 'host'} before it arrived
                      </span>
                    </Show>
                  </span>
                  <span class="number">
                    {plural(row.step_count, 'step')}{' '}
                    <span class="muted">{formatRatio(row.step_ratio)}</span>
                  </span>
                  <span class="blame-bar">
                    <span style={{ width: `${(100 * row.caused_ps) / most()}%` }} />
                  </span>
                  <span class="number">{formatDuration(row.caused_ps)}</span>
                </button>
              </li>
            )}
          </For>
        </ol>
        <Show when={props.report.blame.length > shown().length}>
          <p class="blame-more muted">
            and {plural(props.report.blame.length - shown().length, 'smaller cause')}
          </p>
        </Show>
      </section>
    </Show>
  );
}

/** With a true minus sign. */
function signed(value: number | null, decimals: number): string {
  return value === null ? MISSING : value.toFixed(decimals).replace('-', '−');
}

function hostColumns(rows: readonly HostRow[]): Column<HostRow>[] {
  const longest = Math.max(1, ...rows.map((row) => row.step_ps ?? 0));
  return declared<HostRow>('hosts.rows', [
    {
      key: 'host',
      width: 150,
      value: (row) => row.host,
      cell: (row) => (
        <span class="host-name">
          {row.host}
          <Show when={row.is_straggler}>
            <span class="host-straggler" data-figure="hosts.rows.is_straggler">
              late
            </span>
          </Show>
        </span>
      ),
    },
    {
      key: 'step_ps',
      width: 92,
      scale: 'time',
      value: (row) => row.step_ps,
    },
    {
      key: 'parts',
      title: 'Parts of the mean step',
      figure: 'steps.step_parts',
      width: 220,
      value: () => null,
      cell: (row) => (
        <DividedBar
          total={longest}
          pieces={HOST_PARTS.map((part) => ({
            title: part.title,
            value: partOf(row, part.part),
            color: part.color,
          }))}
        />
      ),
    },
    {
      key: 'lateness_ps',
      width: 112,
      scale: 'time',
      value: (row) => row.lateness_ps,
      isOptional: true,
    },
    {
      key: 'lateness_score',
      width: 76,
      value: (row) => row.lateness_score,
      cell: (row) => signed(row.lateness_score, 1),
      isOptional: true,
    },
    {
      key: 'last_count',
      width: 122,
      value: (row) => (row.lateness_ps === null ? null : row.last_count),
      isOptional: true,
    },
    {
      key: 'caused_ps',
      width: 142,
      scale: 'time',
      value: (row) => (row.lateness_ps === null ? null : row.caused_ps),
      isOptional: true,
    },
    {
      key: 'wait_ps',
      width: 96,
      scale: 'time',
      value: (row) => (row.lateness_ps === null ? null : row.wait_ps),
      isOptional: true,
    },
    ...HOST_PARTS.map((part): Layout<HostRow> => ({
      key: `${part.part}_ps`,
      width: 100,
      scale: 'time',
      value: (row) => partOf(row, part.part) || null,
      isOptional: true,
    })),
    {
      key: 'working_count',
      width: 80,
      value: (row) => row.working_count,
    },
    {
      key: 'step_count',
      width: 70,
      value: (row) => row.step_count,
    },
    { key: 'problem', width: 260, value: (row) => row.problem, isOptional: true },
  ]);
}

function Hosts(props: { report: HostsReport; session: string }) {
  const table = localTableState('host');
  return (
    <section class="card">
      <header>
        <h2>{plural(props.report.row_count, 'host')}</h2>
        <span class="muted number">
          <Show when={props.report.step_time_ps}>
            {(time) => <>mean step {formatDuration(Math.round(time().mean))}</>}
          </Show>
        </span>
        <span class="spacer" />
        <Legend
          entries={HOST_PARTS.filter((part) =>
            props.report.rows.some((row) => partOf(row, part.part) > 0),
          ).map((part) => ({ title: part.title, color: part.color, figure: part.part }))}
        />
      </header>
      <DataTable
        rows={props.report.rows}
        rowCount={props.report.row_count}
        columns={hostColumns(props.report.rows)}
        state={table}
        noun="host"
        compare={COMPARE}
        fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-hosts`}
        onRow={(row) => select('host', row.host)}
        isPlain
      />
    </section>
  );
}

const CLOCKS = declared<ClockRow>('hosts.clocks', [
  { key: 'host', width: 160, value: (row) => row.host },
  { key: 'reference', width: 150, value: (row) => row.reference },
  {
    key: 'offset_ps',
    width: 110,
    value: (row) => row.offset_ps,
  },
  {
    key: 'drift_ppm',
    width: 100,
    value: (row) => row.drift_ppm,
    cell: (row) => signed(row.drift_ppm, 2),
  },
  {
    key: 'residual_ps',
    width: 110,
    value: (row) => row.residual_ps,
  },
  {
    key: 'max_residual_ps',
    width: 110,
    value: (row) => row.max_residual_ps,
  },
  {
    key: 'matched_count',
    width: 100,
    value: (row) => row.matched_count,
  },
]);

function Clocks(props: { report: HostsReport }) {
  const table = localTableState('host');
  return (
    <Show when={props.report.clocks.length > 1}>
      <section class="card">
        <header>
          <h2>Clocks</h2>
          <span class="muted">
            from the ends of collectives, which all participants leave together; the times shown are
            not corrected
          </span>
        </header>
        <DataTable
          rows={props.report.clocks}
          columns={CLOCKS}
          state={table}
          noun="clock"
          fileName="stepscope-clocks"
          isPlain
        />
      </section>
    </Show>
  );
}

function OneCell(props: { report: HostsReport }) {
  const where = () =>
    hrefTo({ view: 'timeline', params: { steps: String(props.report.steps[0]?.step ?? '') } });
  return (
    <section class="card">
      <header>
        <h2>Steps × devices</h2>
      </header>
      <div class="card-body">
        <OneOnly
          text="One step on one device was recorded, so there are no devices or steps to compare."
          actions={
            <a class="button" href={where()}>
              Show it in the timeline
            </a>
          }
        />
      </div>
    </section>
  );
}

function NoSteps() {
  return (
    <EmptyState title="No steps to compare" code={CODE_STEPS}>
      Found no step line, step annotation, or repeating program. Wrap each step of the loop on every
      host and record again:
    </EmptyState>
  );
}
