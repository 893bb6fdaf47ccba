/** Columns of single occurrences, steps, exchanges over hosts, and shardings. */
import { hrefTo } from '../../shell/state';
import { Middle } from '../../widgets/middle';
import type { CollectiveGroupRow } from '../../wire/generated/CollectiveGroupRow';
import type { CollectiveInstanceRow } from '../../wire/generated/CollectiveInstanceRow';
import type { CollectiveStepRow } from '../../wire/generated/CollectiveStepRow';
import type { PeerRow } from '../../wire/generated/PeerRow';
import type { RendezvousRow } from '../../wire/generated/RendezvousRow';
import type { ShardingRow } from '../../wire/generated/ShardingRow';
import { declared } from '../../widgets/table/declared';

export const GROUPS = declared<CollectiveGroupRow>('collectives.groups', [
  {
    key: 'name',
    width: 300,
    value: (row) => row.name || 'unknown',
    cell: (row) => <Middle text={row.name || 'unknown'} isCode />,
  },
  { key: 'exposed_ps', width: 100, scale: 'time', value: (row) => row.exposed_ps },
  { key: 'exposed_ratio', width: 100, value: (row) => row.exposed_ratio },
  { key: 'total_ps', width: 100, scale: 'time', value: (row) => row.total_ps },
  { key: 'wait_ps', width: 92, scale: 'time', value: (row) => row.wait_ps, isOptional: true },
  { key: 'overlap_ps', width: 100, scale: 'time', value: (row) => row.overlap_ps, isOptional: true },
  { key: 'bytes', width: 92, value: (row) => row.bytes, isOptional: true },
  { key: 'bus_bandwidth', width: 120, value: (row) => row.bus_bandwidth, isOptional: true },
  { key: 'peak_bandwidth', width: 100, value: (row) => row.peak_bandwidth, isOptional: true },
  { key: 'times_expected', width: 120, value: (row) => row.times_expected, isOptional: true },
  { key: 'collectives', width: 90, value: (row) => row.collectives },
  { key: 'occurrences', width: 80, value: (row) => row.occurrences },
]);

export const INSTANCES = declared<CollectiveInstanceRow>('collectives.instances', [
  {
    key: 'name',
    width: 220,
    value: (row) => row.name,
    cell: (row) => <Middle text={row.name} isCode />,
  },
  { key: 'step', width: 70, value: (row) => row.step },
  {
    key: 'duration_ps',
    width: 116,
    scale: 'time',
    value: (row) => row.duration_ps,
  },
  {
    key: 'skew_ps',
    width: 92,
    scale: 'time',
    value: (row) => row.skew_ps,
  },
  {
    key: 'transfer_ps',
    width: 108,
    scale: 'time',
    value: (row) => row.transfer_ps,
  },
  { key: 'last_device', width: 180, value: (row) => row.last_device },
  {
    key: 'participants',
    width: 100,
    value: (row) => row.participants,
  },
  {
    key: 'wait_ps',
    width: 118,
    scale: 'time',
    value: (row) => row.wait_ps,
  },
]);

export const STEPS = declared<CollectiveStepRow>('collectives.steps', [
  { key: 'step', width: 90, value: (row) => row.step },
  {
    key: 'duration_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.duration_ps,
  },
  {
    key: 'total_ps',
    width: 130,
    scale: 'time',
    value: (row) => row.total_ps,
  },
  {
    key: 'exposed_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.exposed_ps,
  },
  {
    key: 'exposed_ratio',
    width: 80,
    value: (row) => row.exposed_ratio,
  },
  { key: 'device', width: 180, value: (row) => row.device },
  {
    key: 'max_exposed_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.max_exposed_ps,
  },
]);

export const PEERS = declared<PeerRow>('collectives.peers', [
  { key: 'rendezvous', width: 240, value: (row) => row.rendezvous || 'unknown' },
  { key: 'source_slice', width: 90, value: (row) => row.source_slice },
  { key: 'destination_slice', width: 90, value: (row) => row.destination_slice },
  { key: 'p99_ps', width: 100, scale: 'time', value: (row) => row.p99_ps },
  { key: 'p50_ps', width: 100, scale: 'time', value: (row) => row.p50_ps },
  { key: 'message_count', width: 90, value: (row) => row.message_count },
  { key: 'bytes', width: 100, scale: 'one', value: (row) => row.bytes },
  { key: 'recv_op', width: 200, value: (row) => row.recv_op, isOptional: true },
  {
    key: 'recv_done_p99_ps',
    width: 140,
    scale: 'time',
    value: (row) => row.recv_done_p99_ps,
    isOptional: true,
  },
]);

export const RENDEZVOUS = declared<RendezvousRow>('collectives.rendezvous', [
  { key: 'rendezvous', width: 240, value: (row) => row.rendezvous },
  {
    key: 'transfer_type',
    width: 130,
    value: (row) => row.transfer_type,
    isOptional: true,
  },
  {
    key: 'participants',
    width: 80,
    value: (row) => row.participants,
    isOptional: true,
  },
  {
    key: 'recv_done_p50_ps',
    width: 150,
    scale: 'time',
    value: (row) => row.recv_done_p50_ps,
    isOptional: true,
  },
  {
    key: 'recv_done_p99_ps',
    width: 140,
    scale: 'time',
    value: (row) => row.recv_done_p99_ps,
    isOptional: true,
  },
  {
    key: 'total_stall_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.total_stall_ps,
  },
  {
    key: 'stall_ps',
    width: 92,
    scale: 'one',
    value: (row) => row.stall_ps,
  },
  {
    key: 'slack_ps',
    width: 92,
    scale: 'one',
    value: (row) => row.slack_ps,
  },
  {
    key: 'observed_ps',
    width: 92,
    scale: 'one',
    value: (row) => row.observed_ps,
  },
  {
    key: 'occurrences',
    width: 74,
    value: (row) => row.occurrences,
  },
  {
    key: 'bytes',
    width: 96,
    value: (row) => row.bytes,
    isOptional: true,
  },
  {
    key: 'required_bandwidth',
    width: 120,
    value: (row) => row.required_bandwidth,
    isOptional: true,
  },
  { key: 'send_op', width: 160, value: (row) => row.send_op, isOptional: true },
  { key: 'recv_op', width: 160, value: (row) => row.recv_op, isOptional: true },
]);

/** The instruction in the graph of its program. */
const graphOf = (row: ShardingRow) =>
  hrefTo({ view: 'graph', params: { program: row.program_id, op: row.instruction } });

export const SHARDINGS = declared<ShardingRow>('collectives.shardings', [
  {
    key: 'name',
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
    title: 'Direction',
    width: 84,
    value: (row) => (row.is_input ? 'input' : 'output'),
  },
  {
    key: 'partition',
    width: 200,
    value: (row) => row.partition,
    cell: (row) => (
      <span data-tip={row.sharding || 'No sharding in the program'}>
        <Middle text={row.partition || '–'} isCode />
      </span>
    ),
  },
  {
    key: 'shape',
    width: 190,
    value: (row) => row.shape,
    cell: (row) => <Middle text={row.shape} isCode />,
  },
  {
    key: 'device_bytes',
    width: 148,
    scale: 'bytes',
    value: (row) => row.device_bytes,
  },
  {
    key: 'total_bytes',
    width: 124,
    scale: 'bytes',
    value: (row) => row.total_bytes,
  },
  {
    key: 'replicated_bytes',
    width: 164,
    scale: 'bytes',
    value: (row) => row.replicated_bytes,
    isOptional: true,
  },
  {
    key: 'part_count',
    width: 70,
    value: (row) => row.part_count,
    isOptional: true,
  },
  {
    key: 'device_count',
    width: 86,
    value: (row) => row.device_count,
  },
  {
    key: 'program',
    width: 180,
    value: (row) => row.program,
    cell: (row) => <Middle text={row.program} />,
  },
]);
