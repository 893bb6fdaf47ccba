/** Columns of launches, streams, matrix units and copies. */
import { Show } from 'solid-js';

import { format, formatBytes } from '../../format/numbers';
import { formatRange } from '../../timeline/address';
import { hrefTo } from '../../shell/state';
import { ShareCell } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
import type { Column } from '../../widgets/table/rows';
import type { LaunchDevice } from '../../wire/generated/LaunchDevice';
import type { LaunchStep } from '../../wire/generated/LaunchStep';
import type { MatrixOp } from '../../wire/generated/MatrixOp';
import type { StreamRow } from '../../wire/generated/StreamRow';
import type { TransferRow } from '../../wire/generated/TransferRow';
import type { TransferSize } from '../../wire/generated/TransferSize';

export const DIRECTIONS: Record<string, string> = {
  host_to_device: 'Host to device',
  device_to_host: 'Device to host',
  device_to_device: 'Device to device',
  host_to_host: 'Host to host',
  memset: 'Memset',
  other: 'Other',
};

/** A link to a stretch of the timeline, a little wider than it. */
function TimeLink(props: { startPs: number; endPs: number; text: string }) {
  const margin = () => (props.endPs - props.startPs) * 0.2 + 1000;
  return (
    <a
      href={hrefTo({
        view: 'timeline',
        params: {
          window: formatRange({
            startPs: props.startPs - margin(),
            endPs: props.endPs + margin(),
          }),
        },
      })}
      onClick={(event) => event.stopPropagation()}
    >
      {props.text}
    </a>
  );
}

export const LAUNCHES: Column<LaunchDevice>[] = [
  { key: 'device', title: 'Device', width: 180, value: (row) => row.device },
  { key: 'launched', title: 'Launches', width: 96, kind: 'count', value: (row) => row.launched },
  {
    key: 'launched_ratio',
    title: 'Recorded',
    width: 96,
    kind: 'ratio',
    value: (row) => row.launched_ratio,
  },
  {
    key: 'latency_mean_ps',
    title: 'Latency, mean',
    width: 124,
    kind: 'duration',
    scale: 'latency',
    value: (row) => row.latency_mean_ps,
  },
  {
    key: 'latency_p50_ps',
    title: 'Median',
    width: 104,
    kind: 'duration',
    scale: 'latency',
    value: (row) => row.latency_p50_ps,
  },
  {
    key: 'latency_p99_ps',
    title: '99 %',
    width: 104,
    kind: 'duration',
    scale: 'latency',
    value: (row) => row.latency_p99_ps,
  },
  {
    key: 'latency_max_ps',
    title: 'Longest',
    width: 104,
    kind: 'duration',
    scale: 'latency',
    value: (row) => row.latency_max_ps,
  },
  {
    key: 'queue_mean',
    title: 'Queue, mean',
    width: 110,
    kind: 'count',
    value: (row) => row.queue_mean,
    cell: (row) => row.queue_mean.toFixed(1),
  },
  {
    key: 'queue_most',
    title: 'Most queued',
    width: 110,
    kind: 'count',
    value: (row) => row.queue_most,
    cell: (row) => (
      <TimeLink
        startPs={row.queue_most_at_ps}
        endPs={row.queue_most_at_ps + 100_000_000}
        text={String(row.queue_most)}
      />
    ),
  },
];

export const STEPS: Column<LaunchStep>[] = [
  {
    key: 'step',
    title: 'Step',
    figure: 'kernels.step',
    width: 120,
    kind: 'count',
    value: (row) => row.step,
    cell: (row) => <TimeLink startPs={row.start_ps} endPs={row.end_ps} text={`step ${row.step}`} />,
  },
  {
    key: 'duration_ps',
    title: 'Duration',
    figure: 'kernels.step_duration',
    width: 110,
    kind: 'duration',
    value: (row) => row.duration_ps,
  },
  { key: 'calls', title: 'Launch calls', width: 110, kind: 'count', value: (row) => row.calls },
  {
    key: 'launch_ps',
    title: 'Launching',
    width: 110,
    kind: 'duration',
    value: (row) => row.launch_ps,
  },
  {
    key: 'ratio',
    title: 'Of the step',
    figure: 'kernels.launch_ratio',
    width: 150,
    kind: 'ratio',
    value: (row) => row.ratio,
    cell: (row, scale) => <ShareCell ratio={row.ratio} text={scale.text(row.ratio)} />,
  },
  { key: 'host', title: 'Host', width: 160, value: (row) => row.host },
];

export const STREAMS: Column<StreamRow>[] = [
  {
    key: 'stream',
    title: 'Stream',
    figure: 'kernels.stream',
    width: 240,
    value: (row) => row.stream,
    cell: (row) => <TimeLink startPs={row.start_ps} endPs={row.end_ps} text={row.stream} />,
  },
  { key: 'device', title: 'Device', width: 120, value: (row) => row.device },
  { key: 'occurrences', title: 'Count', width: 84, kind: 'count', value: (row) => row.occurrences },
  {
    key: 'busy_ps',
    title: 'Busy',
    figure: 'kernels.busy_ps',
    width: 100,
    kind: 'duration',
    scale: 'stream',
    value: (row) => row.busy_ps,
  },
  {
    key: 'gap_ps',
    title: 'In gaps',
    width: 100,
    kind: 'duration',
    scale: 'stream',
    value: (row) => row.gap_ps,
  },
  { key: 'gap_count', title: 'Gaps', width: 76, kind: 'count', value: (row) => row.gap_count },
  {
    key: 'largest_gap_ps',
    title: 'Longest gap',
    width: 116,
    kind: 'duration',
    scale: 'stream',
    value: (row) => row.largest_gap_ps,
    cell: (row, scale) => (
      <Show when={row.largest_gap_start_ps !== null} fallback="–">
        <TimeLink
          startPs={row.largest_gap_start_ps ?? 0}
          endPs={(row.largest_gap_start_ps ?? 0) + row.largest_gap_ps}
          text={scale.text(row.largest_gap_ps)}
        />
      </Show>
    ),
  },
  {
    key: 'overlap_ratio',
    title: 'Beside others',
    width: 150,
    kind: 'ratio',
    value: (row) => row.overlap_ratio,
    cell: (row, scale) => (
      <ShareCell ratio={row.overlap_ratio} text={scale.text(row.overlap_ratio)} />
    ),
  },
];

export const MATRIX: Column<MatrixOp>[] = [
  {
    key: 'op',
    title: 'Op',
    figure: 'op',
    width: 280,
    value: (row) => row.op,
    cell: (row) => <Middle text={row.op} isCode />,
  },
  {
    key: 'total_ps',
    title: 'Kernels',
    figure: 'kernels.matrix_total',
    width: 100,
    kind: 'duration',
    value: (row) => row.total_ps,
  },
  {
    key: 'matrix_ratio',
    title: 'On matrix units',
    width: 150,
    kind: 'ratio',
    value: (row) => row.matrix_ratio,
    cell: (row, scale) => (
      <ShareCell ratio={row.matrix_ratio} text={scale.text(row.matrix_ratio)} />
    ),
  },
  {
    key: 'plain_ps',
    title: 'Without',
    width: 100,
    kind: 'duration',
    value: (row) => row.plain_ps,
  },
  {
    key: 'unknown_ps',
    title: 'Not known',
    width: 100,
    kind: 'duration',
    value: (row) => row.unknown_ps,
  },
  {
    key: 'is_eligible',
    title: 'Matrix product',
    width: 120,
    value: (row) => (row.is_eligible ? 'yes' : 'no'),
  },
  { key: 'program', title: 'Program', width: 200, value: (row) => row.program },
];

export const TRANSFERS: Column<TransferRow>[] = [
  {
    key: 'direction',
    title: 'Copies',
    figure: 'direction',
    width: 160,
    value: (row) => DIRECTIONS[row.direction] ?? row.direction,
  },
  {
    key: 'memory',
    title: 'Host memory',
    width: 110,
    value: (row) => row.memory,
    isOptional: true,
  },
  { key: 'occurrences', title: 'Count', width: 80, kind: 'count', value: (row) => row.occurrences },
  {
    key: 'bytes',
    title: 'Bytes',
    figure: 'transfers.bytes',
    width: 104,
    kind: 'bytes',
    value: (row) => row.bytes,
  },
  { key: 'total_ps', title: 'Total', width: 104, kind: 'duration', value: (row) => row.total_ps },
  {
    key: 'bandwidth',
    title: 'Bandwidth',
    figure: 'transfers.bandwidth',
    width: 124,
    kind: 'bandwidth',
    value: (row) => row.bandwidth,
  },
  {
    key: 'bandwidth_ratio',
    title: 'Of the link',
    width: 150,
    kind: 'ratio',
    value: (row) => row.bandwidth_ratio,
    cell: (row, scale) => (
      <span
        data-tip={
          row.peak_bandwidth === null
            ? undefined
            : `${format('bandwidth', row.peak_bandwidth)}: ${row.peak_source}`
        }
      >
        <ShareCell ratio={row.bandwidth_ratio} text={scale.text(row.bandwidth_ratio)} />
      </span>
    ),
    isOptional: true,
  },
];

/** `4 KiB to 64 KiB`. */
const sizeOf = (row: TransferSize) =>
  row.end_bytes === null
    ? `${formatBytes(row.start_bytes)} and more`
    : `${formatBytes(row.start_bytes)} to ${formatBytes(row.end_bytes)}`;

export const SIZES: Column<TransferSize>[] = [
  {
    key: 'direction',
    title: 'Copies by size',
    figure: 'direction',
    width: 160,
    value: (row) => DIRECTIONS[row.direction] ?? row.direction,
  },
  { key: 'size', title: 'Size', figure: 'kernels.size', width: 180, value: sizeOf },
  { key: 'occurrences', title: 'Count', width: 80, kind: 'count', value: (row) => row.occurrences },
  {
    key: 'bytes',
    title: 'Bytes',
    figure: 'transfers.bytes',
    width: 104,
    kind: 'bytes',
    value: (row) => row.bytes,
  },
  { key: 'total_ps', title: 'Total', width: 104, kind: 'duration', value: (row) => row.total_ps },
  {
    key: 'bandwidth',
    title: 'Bandwidth',
    figure: 'transfers.bandwidth',
    width: 124,
    kind: 'bandwidth',
    value: (row) => row.bandwidth,
  },
];
