/** Columns of single occurrences, steps, exchanges over hosts, and shardings. */
import { hrefTo } from '../../shell/state';
import { Middle } from '../../widgets/middle';
import type { Column } from '../../widgets/table/rows';
import type { CollectiveInstanceRow } from '../../wire/generated/CollectiveInstanceRow';
import type { CollectiveStepRow } from '../../wire/generated/CollectiveStepRow';
import type { RendezvousRow } from '../../wire/generated/RendezvousRow';
import type { ShardingRow } from '../../wire/generated/ShardingRow';

export const INSTANCES: Column<CollectiveInstanceRow>[] = [
  {
    key: 'name',
    title: 'Collective',
    figure: 'collectives.name',
    width: 220,
    value: (row) => row.name,
    cell: (row) => <Middle text={row.name} isCode />,
  },
  { key: 'step', title: 'Step', width: 70, kind: 'count', value: (row) => row.step },
  {
    key: 'duration_ps',
    title: 'Duration',
    figure: 'instances.duration_ps',
    width: 116,
    kind: 'duration',
    scale: 'time',
    value: (row) => row.duration_ps,
  },
  {
    key: 'skew_ps',
    title: 'Skew',
    width: 92,
    kind: 'duration',
    scale: 'time',
    value: (row) => row.skew_ps,
  },
  {
    key: 'transfer_ps',
    title: 'Transfer',
    figure: 'instances.transfer_ps',
    width: 108,
    kind: 'duration',
    scale: 'time',
    value: (row) => row.transfer_ps,
  },
  { key: 'last_device', title: 'Last to arrive', width: 180, value: (row) => row.last_device },
  {
    key: 'participants',
    title: 'Participants',
    width: 100,
    kind: 'count',
    value: (row) => row.participants,
  },
  {
    key: 'wait_ps',
    title: 'Wait of all',
    figure: 'instances.wait_ps',
    width: 118,
    kind: 'duration',
    scale: 'time',
    value: (row) => row.wait_ps,
  },
];

export const STEPS: Column<CollectiveStepRow>[] = [
  { key: 'step', title: 'Step', width: 90, kind: 'count', value: (row) => row.step },
  {
    key: 'duration_ps',
    title: 'Duration',
    width: 100,
    kind: 'duration',
    scale: 'time',
    value: (row) => row.duration_ps,
  },
  {
    key: 'total_ps',
    title: 'Communication',
    figure: 'collectives.step_total_ps',
    width: 130,
    kind: 'duration',
    scale: 'time',
    value: (row) => row.total_ps,
  },
  {
    key: 'exposed_ps',
    title: 'Exposed',
    width: 100,
    kind: 'duration',
    scale: 'time',
    value: (row) => row.exposed_ps,
  },
  {
    key: 'exposed_ratio',
    title: 'Share',
    width: 80,
    kind: 'ratio',
    value: (row) => row.exposed_ratio,
  },
  { key: 'device', title: 'Most exposed on', figure: '', width: 180, value: (row) => row.device },
  {
    key: 'max_exposed_ps',
    title: 'There',
    width: 100,
    kind: 'duration',
    scale: 'time',
    value: (row) => row.max_exposed_ps,
  },
];

export const RENDEZVOUS: Column<RendezvousRow>[] = [
  { key: 'rendezvous', title: 'Rendezvous', width: 240, value: (row) => row.rendezvous },
  {
    key: 'transfer_type',
    title: 'Type',
    width: 130,
    value: (row) => row.transfer_type,
    isOptional: true,
  },
  {
    key: 'participants',
    title: 'Between',
    figure: 'rendezvous.participants',
    width: 80,
    kind: 'count',
    value: (row) => row.participants,
    isOptional: true,
  },
  {
    key: 'total_stall_ps',
    title: 'Total stall',
    width: 100,
    kind: 'duration',
    scale: 'time',
    value: (row) => row.total_stall_ps,
  },
  {
    key: 'stall_ps',
    title: 'Stall',
    width: 92,
    kind: 'duration',
    scale: 'one',
    value: (row) => row.stall_ps,
  },
  {
    key: 'slack_ps',
    title: 'Slack',
    width: 92,
    kind: 'duration',
    scale: 'one',
    value: (row) => row.slack_ps,
  },
  {
    key: 'observed_ps',
    title: 'Observed',
    width: 92,
    kind: 'duration',
    scale: 'one',
    value: (row) => row.observed_ps,
  },
  {
    key: 'occurrences',
    title: 'Count',
    width: 74,
    kind: 'count',
    value: (row) => row.occurrences,
  },
  {
    key: 'bytes',
    title: 'Bytes',
    figure: 'rendezvous.bytes',
    width: 96,
    kind: 'bytes',
    value: (row) => row.bytes,
    isOptional: true,
  },
  {
    key: 'required_bandwidth',
    title: 'Required',
    width: 120,
    kind: 'bandwidth',
    value: (row) => row.required_bandwidth,
    isOptional: true,
  },
  { key: 'send_op', title: 'Send', width: 160, value: (row) => row.send_op, isOptional: true },
  { key: 'recv_op', title: 'Receive', width: 160, value: (row) => row.recv_op, isOptional: true },
];

/** The instruction in the graph of its program. */
const graphOf = (row: ShardingRow) =>
  hrefTo({ view: 'graph', params: { program: row.program_id, op: row.instruction } });

export const SHARDINGS: Column<ShardingRow>[] = [
  {
    key: 'name',
    title: 'Value',
    figure: 'shardings.name',
    width: 200,
    value: (row) => row.name,
    cell: (row) => (
      <a class="collective-name" href={graphOf(row)}>
        <Middle text={row.name} isCode />
      </a>
    ),
  },
  {
    key: 'is_input',
    title: 'In, out',
    width: 84,
    value: (row) => (row.is_input ? 'input' : 'output'),
  },
  {
    key: 'partition',
    title: 'Partition',
    width: 200,
    value: (row) => row.partition,
    cell: (row) => (
      <span data-tip={row.sharding || 'The program writes no sharding for it'}>
        <Middle text={row.partition || '–'} isCode />
      </span>
    ),
  },
  {
    key: 'shape',
    title: 'Shape on one device',
    figure: 'shardings.shape',
    width: 190,
    value: (row) => row.shape,
    cell: (row) => <Middle text={row.shape} isCode />,
  },
  {
    key: 'device_bytes',
    title: 'On one device',
    figure: 'shardings.device_bytes',
    width: 148,
    kind: 'bytes',
    scale: 'bytes',
    value: (row) => row.device_bytes,
  },
  {
    key: 'total_bytes',
    title: 'On all',
    figure: 'shardings.total_bytes',
    width: 124,
    kind: 'bytes',
    scale: 'bytes',
    value: (row) => row.total_bytes,
  },
  {
    key: 'replicated_bytes',
    title: 'Beyond one copy',
    width: 164,
    kind: 'bytes',
    scale: 'bytes',
    value: (row) => row.replicated_bytes,
    isOptional: true,
  },
  {
    key: 'part_count',
    title: 'Parts',
    width: 70,
    kind: 'count',
    value: (row) => row.part_count,
    isOptional: true,
  },
  {
    key: 'device_count',
    title: 'Devices',
    figure: 'shardings.device_count',
    width: 86,
    kind: 'count',
    value: (row) => row.device_count,
  },
  {
    key: 'program',
    title: 'Program',
    figure: 'shardings.program',
    width: 180,
    value: (row) => row.program,
    cell: (row) => <Middle text={row.program} />,
  },
];
