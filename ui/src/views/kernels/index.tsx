/** GPU kernels with their launch geometry, and the copies between host and devices. */
import { Show } from 'solid-js';

import { formatDuration, formatRatio } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { getParam, select, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { ShareCell } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { Middle } from '../../widgets/middle';
import { Hint, Remarks, Warnings } from '../../widgets/notes';
import type { Column } from '../../widgets/table/rows';
import { localTableState, urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { KernelRow } from '../../wire/generated/KernelRow';
import type { KernelsReport } from '../../wire/generated/KernelsReport';
import type { TransferRow } from '../../wire/generated/TransferRow';
import { createReport } from '../../wire/report';
import './kernels.css';

const LIMIT = 5000;

function columnsFor(totalPs: number): Column<KernelRow>[] {
  return [
    {
      key: 'name',
      title: 'Kernel',
      figure: 'kernels.name',
      width: 300,
      value: (row) => row.name,
      cell: (row) => <Middle text={row.name} isCode />,
    },
    { key: 'total_ps', title: 'Total', width: 92, kind: 'duration', value: (row) => row.total_ps },
    {
      key: 'total_ratio',
      title: 'Share',
      figure: '',
      width: 132,
      kind: 'ratio',
      value: (row) => (totalPs > 0 ? row.total_ps / totalPs : null),
      cell: (row, scale) => {
        const ratio = row.total_ps / Math.max(1, totalPs);
        return <ShareCell ratio={ratio} text={scale.text(ratio)} />;
      },
    },
    {
      key: 'occurrences',
      title: 'Count',
      width: 78,
      kind: 'count',
      value: (row) => row.occurrences,
    },
    {
      key: 'mean_ps',
      title: 'Mean',
      width: 86,
      kind: 'duration',
      scale: 'launch',
      value: (row) => row.mean_ps,
    },
    {
      key: 'min_ps',
      title: 'Min',
      width: 86,
      kind: 'duration',
      scale: 'launch',
      value: (row) => row.min_ps,
    },
    {
      key: 'max_ps',
      title: 'Max',
      width: 86,
      kind: 'duration',
      scale: 'launch',
      value: (row) => row.max_ps,
    },
    {
      key: 'occupancy',
      title: 'Occupancy',
      width: 112,
      kind: 'ratio',
      value: (row) => row.occupancy,
      isOptional: true,
    },
    {
      key: 'registers',
      title: 'Registers',
      width: 86,
      kind: 'count',
      value: (row) => row.registers,
      isOptional: true,
    },
    {
      key: 'shared_bytes',
      title: 'Shared',
      width: 96,
      kind: 'bytes',
      value: (row) => row.shared_bytes,
      isOptional: true,
    },
    { key: 'grid', title: 'Grid', width: 104, value: (row) => row.grid, isOptional: true },
    { key: 'block', title: 'Block', width: 90, value: (row) => row.block, isOptional: true },
    {
      key: 'op',
      title: 'Op',
      figure: 'op',
      width: 220,
      value: (row) => row.op,
      cell: (row) => <Middle text={row.op || '–'} isCode />,
      isOptional: true,
    },
    { key: 'stream', title: 'Stream', width: 110, value: (row) => row.stream, isOptional: true },
    { key: 'device', title: 'Device', width: 150, value: (row) => row.device, isOptional: true },
    { key: 'program', title: 'Program', width: 180, value: (row) => row.program, isOptional: true },
  ];
}

const DIRECTIONS: Record<string, string> = {
  host_to_device: 'Host to device',
  device_to_host: 'Device to host',
  device_to_device: 'Device to device',
  host_to_host: 'Host to host',
  memset: 'Memset',
  other: 'Other',
};

const TRANSFERS: Column<TransferRow>[] = [
  {
    key: 'direction',
    title: 'Copies',
    figure: 'direction',
    width: 160,
    value: (row) => DIRECTIONS[row.direction] ?? row.direction,
  },
  { key: 'occurrences', title: 'Count', width: 90, kind: 'count', value: (row) => row.occurrences },
  {
    key: 'bytes',
    title: 'Bytes',
    figure: 'transfers.bytes',
    width: 110,
    kind: 'bytes',
    value: (row) => row.bytes,
  },
  { key: 'total_ps', title: 'Total', width: 110, kind: 'duration', value: (row) => row.total_ps },
  {
    key: 'bandwidth',
    title: 'Bandwidth',
    figure: 'transfers.bandwidth',
    width: 130,
    kind: 'bandwidth',
    value: (row) => row.bandwidth,
  },
];

export default function KernelsView(props: ViewProps) {
  const report = createReport(
    'kernels',
    () => props.session,
    () => ({ ...selectionParams(), limit: getParam('limit') ?? LIMIT }),
  );
  const table = urlTableState('total_ps');
  const transfers = localTableState('total_ps');
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show
          when={data().rows.length > 0 || data().transfers.length > 0}
          fallback={<NoKernels report={data()} />}
        >
          <div class="page is-filling">
            <Warnings notes={data().notes} />
            <section class="card is-main">
              <DataTable
                rows={data().rows}
                rowCount={data().row_count}
                columns={columnsFor(data().total_ps)}
                state={table}
                noun="kernel"
                fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-kernels`}
                isFilling
                onPromoteQuery={(query) => select('match', query)}
                tools={
                  <>
                    <span class="muted" data-figure="attributed_ratio">
                      Σ {formatDuration(data().total_ps)}
                      <Show when={data().attributed_ratio !== null}>
                        , {formatRatio(data().attributed_ratio)} attributed to ops
                      </Show>
                    </span>
                    <Show when={data().row_count > data().rows.length}>
                      <button class="quiet" onClick={() => setParams({ limit: '0' }, false)}>
                        Load all
                      </button>
                    </Show>
                  </>
                }
                empty="No kernel in this selection"
              />
            </section>
            <Show when={data().transfers.length > 0}>
              <section class="card transfers">
                <DataTable
                  rows={data().transfers}
                  columns={TRANSFERS}
                  state={transfers}
                  noun="copy"
                  fileName="stepscope-transfers"
                  isPlain
                />
              </section>
            </Show>
            <Remarks notes={data().notes} />
          </div>
        </Show>
      )}
    </AnswerView>
  );
}

function NoKernels(props: { report: KernelsReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState title="No GPU kernels in this profile">
      {note()?.text ??
        'Kernels are what GPUs run. This profile has none, or the selection above leaves none.'}{' '}
      <Show when={note()?.hint}>{(hint) => <Hint hint={hint()} />}</Show> Device time is under Ops.
    </EmptyState>
  );
}
