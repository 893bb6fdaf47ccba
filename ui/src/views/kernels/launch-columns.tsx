/** Columns of launches, streams, matrix units and copies. */
import { Show } from 'solid-js';

import { format, formatBytes } from '../../format/numbers';
import { formatRange } from '../../timeline/address';
import { hrefTo } from '../../shell/state';
import { ShareCell } from '../../widgets/bars';
import { Middle } from '../../widgets/middle';
import type { LaunchDevice } from '../../wire/generated/LaunchDevice';
import type { LaunchStep } from '../../wire/generated/LaunchStep';
import type { MatrixOp } from '../../wire/generated/MatrixOp';
import type { StreamRow } from '../../wire/generated/StreamRow';
import type { TransferRow } from '../../wire/generated/TransferRow';
import type { TransferSize } from '../../wire/generated/TransferSize';
import { declared } from '../../widgets/table/declared';

export const DIRECTIONS: Record<string, string> = {
  host_to_device: 'Host to device',
  device_to_host: 'Device to host',
  device_to_device: 'Device to device',
  host_to_host: 'Host to host',
  memset: 'Memset',
  unknown: 'Unknown',
};

/** A link to a range of the timeline, with a margin. */
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

export const LAUNCHES = declared<LaunchDevice>('kernels.launches', [
  { key: 'device', width: 180, value: (row) => row.device },
  { key: 'launched', width: 96, value: (row) => row.launched },
  {
    key: 'launched_ratio',
    width: 96,
    value: (row) => row.launched_ratio,
  },
  {
    key: 'latency_mean_ps',
    width: 124,
    scale: 'latency',
    value: (row) => row.latency_mean_ps,
  },
  {
    key: 'latency_p50_ps',
    width: 104,
    scale: 'latency',
    value: (row) => row.latency_p50_ps,
  },
  {
    key: 'latency_p99_ps',
    width: 104,
    scale: 'latency',
    value: (row) => row.latency_p99_ps,
  },
  {
    key: 'latency_max_ps',
    width: 104,
    scale: 'latency',
    value: (row) => row.latency_max_ps,
  },
  {
    key: 'queue_mean',
    width: 110,
    value: (row) => row.queue_mean,
    cell: (row) => row.queue_mean.toFixed(1),
  },
  {
    key: 'queue_most',
    width: 110,
    value: (row) => row.queue_most,
    cell: (row) => (
      <TimeLink
        startPs={row.queue_most_at_ps}
        endPs={row.queue_most_at_ps + 100_000_000}
        text={String(row.queue_most)}
      />
    ),
  },
]);

export const STEPS = declared<LaunchStep>('kernels.steps', [
  {
    key: 'step',
    width: 120,
    value: (row) => row.step,
    cell: (row) => <TimeLink startPs={row.start_ps} endPs={row.end_ps} text={`step ${row.step}`} />,
  },
  {
    key: 'duration_ps',
    width: 110,
    value: (row) => row.duration_ps,
  },
  { key: 'calls', width: 110, value: (row) => row.calls },
  {
    key: 'launch_ps',
    width: 110,
    value: (row) => row.launch_ps,
  },
  {
    key: 'ratio',
    width: 150,
    value: (row) => row.ratio,
    cell: (row, scale) => <ShareCell ratio={row.ratio} text={scale.text(row.ratio)} />,
  },
  { key: 'host', width: 160, value: (row) => row.host },
]);

export const STREAMS = declared<StreamRow>('kernels.streams', [
  {
    key: 'stream',
    width: 240,
    value: (row) => row.stream,
    cell: (row) => <TimeLink startPs={row.start_ps} endPs={row.end_ps} text={row.stream} />,
  },
  { key: 'device', width: 120, value: (row) => row.device },
  { key: 'occurrences', width: 84, value: (row) => row.occurrences },
  {
    key: 'busy_ps',
    width: 100,
    scale: 'stream',
    value: (row) => row.busy_ps,
  },
  {
    key: 'gap_ps',
    width: 100,
    scale: 'stream',
    value: (row) => row.gap_ps,
  },
  { key: 'gap_count', width: 76, value: (row) => row.gap_count },
  {
    key: 'largest_gap_ps',
    width: 116,
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
    width: 150,
    value: (row) => row.overlap_ratio,
    cell: (row, scale) => (
      <ShareCell ratio={row.overlap_ratio} text={scale.text(row.overlap_ratio)} />
    ),
  },
]);

export const MATRIX = declared<MatrixOp>('kernels.matrix_ops', [
  {
    key: 'op',
    width: 280,
    value: (row) => row.op,
    cell: (row) => <Middle text={row.op} isCode />,
  },
  {
    key: 'total_ps',
    width: 100,
    value: (row) => row.total_ps,
  },
  {
    key: 'matrix_ratio',
    width: 150,
    value: (row) => row.matrix_ratio,
    cell: (row, scale) => (
      <ShareCell ratio={row.matrix_ratio} text={scale.text(row.matrix_ratio)} />
    ),
  },
  {
    key: 'plain_ps',
    width: 100,
    value: (row) => row.plain_ps,
  },
  {
    key: 'unknown_ps',
    width: 100,
    value: (row) => row.unknown_ps,
  },
  {
    key: 'is_eligible',
    width: 120,
    value: (row) => (row.is_eligible ? 'yes' : 'no'),
  },
  { key: 'program', width: 200, value: (row) => row.program },
]);

export const TRANSFERS = declared<TransferRow>('kernels.transfers', [
  {
    key: 'direction',
    width: 160,
    value: (row) => DIRECTIONS[row.direction] ?? row.direction,
  },
  {
    key: 'memory',
    width: 110,
    value: (row) => row.memory,
    isOptional: true,
  },
  { key: 'occurrences', width: 80, value: (row) => row.occurrences },
  {
    key: 'bytes',
    width: 104,
    value: (row) => row.bytes,
  },
  { key: 'total_ps', width: 104, value: (row) => row.total_ps },
  {
    key: 'bandwidth',
    width: 124,
    value: (row) => row.bandwidth,
  },
  {
    key: 'bandwidth_ratio',
    width: 150,
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
]);

/** `4 KiB to 64 KiB`. */
const sizeOf = (row: TransferSize) =>
  row.end_bytes === null
    ? `${formatBytes(row.start_bytes)} or more`
    : `${formatBytes(row.start_bytes)} to ${formatBytes(row.end_bytes)}`;

export const SIZES = declared<TransferSize>('kernels.transfer_sizes', [
  {
    key: 'direction',
    width: 160,
    value: (row) => DIRECTIONS[row.direction] ?? row.direction,
  },
  { key: 'size', title: 'Size', figure: 'kernels.size', width: 180, value: sizeOf },
  { key: 'occurrences', width: 80, value: (row) => row.occurrences },
  {
    key: 'bytes',
    width: 104,
    value: (row) => row.bytes,
  },
  { key: 'total_ps', width: 104, value: (row) => row.total_ps },
  {
    key: 'bandwidth',
    width: 124,
    value: (row) => row.bandwidth,
  },
]);
