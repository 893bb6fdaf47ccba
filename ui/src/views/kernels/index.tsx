/** GPU kernels: durations, launches, streams, matrix units, and the copies between host and devices. */
import { createMemo, For, Show, type JSX } from 'solid-js';

import { compareTable } from '../../compare/identity';
import type { RowComparison } from '../../compare/pairing';
import { formatDuration, formatRatio, plural } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { getParam, hrefTo, select, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { CopyButton } from '../../widgets/copy';
import { createFirst, FirstOf } from '../../widgets/first';
import { linkKeys } from '../../widgets/link-keys';
import { Remarks, Warnings } from '../../widgets/notes';
import { OpLinks } from '../../widgets/op-links';
import type { Column } from '../../widgets/table/rows';
import { localTableState, urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabbed, urlTab, type Tab } from '../../widgets/tabs/tabbed';
import type { KernelRow } from '../../wire/generated/KernelRow';
import type { KernelsReport } from '../../wire/generated/KernelsReport';
import { createReport } from '../../wire/report';
import { Durations, Queue } from './charts';
import { mostLaunched } from './queues';
import { cppName, kernelColumns } from './columns';
import { LAUNCHES, MATRIX, SIZES, STEPS, STREAMS, TRANSFERS } from './launch-columns';
import './kernels.css';

const LIMIT = 5000;
/** Queues that are drawn at first; each belongs to a device. */
const QUEUES = 2;

const COMPARE = {
  /** Numeric suffixes from the compiler are ignored; kernels of a program pair by op. */
  kernels: compareTable('kernels.rows', (report: KernelsReport) => report.rows),
  launches: compareTable('kernels.launches', (report: KernelsReport) => report.launches),
  steps: compareTable('kernels.steps', (report: KernelsReport) => report.steps),
  streams: compareTable('kernels.streams', (report: KernelsReport) => report.streams),
  matrix: compareTable('kernels.matrix_ops', (report: KernelsReport) => report.matrix_ops),
  copies: compareTable('kernels.transfers', (report: KernelsReport) => report.transfers),
  sizes: compareTable('kernels.transfer_sizes', (report: KernelsReport) => report.transfer_sizes),
};

export default function KernelsView(props: ViewProps) {
  const report = createReport(
    'kernels',
    () => props.session,
    () => ({ ...selectionParams(), limit: getParam('limit') ?? LIMIT }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show
          when={data().rows.length > 0 || data().transfers.length > 0}
          fallback={<NoKernels report={data()} />}
        >
          <div class="page is-filling">
            <Warnings notes={data().notes} />
            <Show when={data().durations.length > 0}>
              <Charts report={data()} />
            </Show>
            <Tables report={data()} session={props.session} />
            <Remarks notes={data().notes} />
          </div>
        </Show>
      )}
    </AnswerView>
  );
}

function Charts(props: { report: KernelsReport }) {
  // Devices that hardly worked have nothing to show.
  const byLaunches = createMemo(() => mostLaunched(props.report.launches));
  const queues = createFirst(byLaunches, QUEUES);
  return (
    <div class="kernel-charts">
      <Durations
        bins={props.report.durations}
        tinyRatio={props.report.tiny_ratio}
        tinyTimeRatio={props.report.tiny_time_ratio}
      />
      <For each={queues.rows()}>{(row) => <Queue row={row} />}</For>
      <FirstOf first={queues} noun="queue" />
    </div>
  );
}

function Tables(props: { report: KernelsReport; session: string }) {
  const kernels = urlTableState('total_ps');
  const file = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}`;
  const plain = <Row extends object,>(
    name: string,
    rows: readonly Row[],
    columns: Column<Row>[],
    noun: string,
    sort: string,
    compare: RowComparison<Row>,
    tools: JSX.Element,
    summary?: JSX.Element,
  ): JSX.Element => (
    <DataTable
      rows={rows}
      columns={columns}
      state={localTableState(sort)}
      noun={noun}
      compare={compare}
      fileName={`${file()}-${name}`}
      isFilling
      tools={tools}
      summary={summary}
    />
  );
  const tabs: Tab[] = [
    {
      name: 'kernels',
      title: 'Kernels',
      has: () => props.report.rows.length > 0,
      body: (tools) => (
        <Kernels report={props.report} state={kernels} name={`${file()}-kernels`} tools={tools} />
      ),
    },
    {
      name: 'launches',
      title: 'Launches',
      has: () => props.report.launches.length > 0,
      body: (tools) => {
        const { launches: rows } = props.report;
        return plain('launches', rows, LAUNCHES, 'device', 'device', COMPARE.launches, tools());
      },
    },
    {
      name: 'steps',
      title: 'Launches by step',
      has: () => props.report.steps.length > 0,
      body: (tools) =>
        plain('steps', props.report.steps, STEPS, 'step', '', COMPARE.steps, tools()),
    },
    {
      name: 'streams',
      title: 'Streams',
      has: () => props.report.streams.length > 0,
      body: (tools) => {
        const { streams: rows } = props.report;
        return plain('streams', rows, STREAMS, 'stream', 'busy_ps', COMPARE.streams, tools());
      },
    },
    {
      name: 'matrix',
      title: 'Matrix units',
      has: () => props.report.matrix_ops.length > 0,
      body: (tools) => {
        const { matrix_ops: rows, matrix_ratio: ratio } = props.report;
        const share = (
          <span data-figure="kernels.matrix_ratio">
            {formatRatio(ratio)} of all kernel time on matrix units
          </span>
        );
        return plain('matrix', rows, MATRIX, 'op', 'total_ps', COMPARE.matrix, tools(), share);
      },
    },
    {
      name: 'copies',
      title: 'Copies',
      has: () => props.report.transfers.length > 0,
      body: (tools) => {
        const { transfers: rows, transfer_sizes: sizes } = props.report;
        return (
          <div class="kernel-copies">
            {plain('copies', rows, TRANSFERS, 'copy', 'total_ps', COMPARE.copies, tools())}
            <Show when={sizes.length > 0}>
              <DataTable
                rows={sizes}
                columns={SIZES}
                state={localTableState('')}
                noun="size"
                compare={COMPARE.sizes}
                fileName={`${file()}-copies-sizes`}
                isPlain
              />
            </Show>
          </div>
        );
      },
    },
  ];
  return <Tabbed label="Table" state={urlTab()} tabs={tabs} />;
}

/** What tells kernels of a session apart, the name first. */
const nameOf = (row: KernelRow) =>
  [row.name, row.program, row.op, row.device, row.stream, row.grid, row.block].join(' ');

function Kernels(props: {
  report: KernelsReport;
  state: ReturnType<typeof urlTableState>;
  name: string;
  tools: () => JSX.Element;
}) {
  const keys = createMemo(() => linkKeys(props.report.rows.map(nameOf)));
  const shown = () => props.report.rows[keys().indexOf(getParam('kernel'))];
  return (
    <>
      <Show when={shown()}>
        {(row) => (
          <p class="kernel-selected">
            <strong class="mono">{cppName(row())}</strong>
            <CopyButton text={() => cppName(row())} tip="Copy the full name">
              Copy
            </CopyButton>
            <Show
              when={row().program_id}
              fallback={
                <a
                  class="button"
                  href={hrefTo({ view: 'timeline', params: { search: row().name } })}
                >
                  Timeline
                </a>
              }
            >
              <span class="muted">launched for {row().op}</span>
              <OpLinks name={row().op} programId={row().program_id} />
            </Show>
            <span class="muted">
              {row().matrix_rule ? `matrix unit identified by the rule “${row().matrix_rule}”` : ''}
            </span>
          </p>
        )}
      </Show>
      <DataTable
        rows={props.report.rows}
        rowCount={props.report.row_count}
        columns={kernelColumns(props.report.total_ps)}
        state={props.state}
        noun="kernel"
        compare={COMPARE.kernels}
        fileName={props.name}
        isFilling
        onRow={(row) => {
          const key = keys().at(props.report.rows.indexOf(row));
          setParams({ kernel: row === shown() ? null : key }, false);
        }}
        isSelected={(row) => row === shown()}
        onPromoteQuery={(query) => select('match', query)}
        tools={
          <>
            {props.tools()}
            <Show when={props.report.row_count > props.report.rows.length}>
              <button class="quiet" onClick={() => setParams({ limit: '0' }, false)}>
                Load all {plural(props.report.row_count, 'kernel')}
              </button>
            </Show>
          </>
        }
        summary={
          <span data-figure="kernels.attributed_ratio">
            total {formatDuration(props.report.total_ps)}
            <Show when={props.report.attributed_ratio !== null}>
              , {formatRatio(props.report.attributed_ratio)} attributed to ops
            </Show>
          </span>
        }
        empty="No kernels in this selection"
      />
    </>
  );
}

function NoKernels(props: { report: KernelsReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState title="No GPU kernels in this profile">
      {note()?.text ??
        'Kernels run on GPUs. This profile, or the selection above, contains none.'}{' '}
      See{' '}
      <a href={hrefTo({ view: 'ops' })}>Ops</a> and{' '}
      <a href={hrefTo({ view: 'op_tree' })}>Op tree</a> for device time, and the{' '}
      <a href={hrefTo({ view: 'timeline' })}>Timeline</a> for host activity.
    </EmptyState>
  );
}
