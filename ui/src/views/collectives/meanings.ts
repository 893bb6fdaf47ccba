/** What the figures of communication mean. */
import { TIME, SHARE, type Figure } from '../../widgets/figure';

const RATE = 'bytes per second';

export const MEANINGS: Record<string, Figure> = {
  'collectives.name': {
    title: 'Collective',
    definition:
      'The op that begins it: an all-reduce, its asynchronous start, or the kernel where no op is known.',
    formula: '',
    unit: '',
  },
  'collectives.kind': {
    title: 'Kind',
    definition: 'How data is exchanged between the participants.',
    formula: '',
    unit: '',
  },
  exposed_ps: {
    title: 'Exposed',
    definition: 'Communication while the same device computes nothing: the time it really costs.',
    formula: 'communication − compute, as intervals of one device',
    unit: TIME,
  },
  hidden_ps: {
    title: 'Hidden',
    definition: 'Communication behind computation of the same device.',
    formula: 'total − exposed',
    unit: TIME,
  },
  exposed_ratio: {
    title: 'Exposed',
    definition: 'Share of the step, or of the window, that exposed communication takes.',
    formula: 'exposed ÷ length',
    unit: SHARE,
  },
  'collectives.wait_ps': {
    title: 'Wait',
    definition: 'Waiting for the last participant, over occurrences matched with those of others.',
    formula: 'Σ last arrival − own arrival, on aligned clocks',
    unit: TIME,
  },
  'collectives.transfer_ps': {
    title: 'Transfer',
    definition: 'What is left once everybody has arrived.',
    formula: 'Σ own end − last arrival',
    unit: TIME,
  },
  reason: {
    title: 'Not hidden because',
    definition:
      'What most of the exposed time is: waiting for a late participant, an op that the device waits for, nothing scheduled between start and end, or computation shorter than the transfer.',
    formula: '',
    unit: '',
  },
  'collectives.mean_ps': {
    title: 'Mean',
    definition: 'Mean time from start to end of one occurrence.',
    formula: 'total ÷ count',
    unit: TIME,
  },
  'collectives.max_ps': {
    title: 'Longest',
    definition: 'Longest occurrence. A row opens it in the timeline.',
    formula: '',
    unit: TIME,
  },
  'collectives.bytes': {
    title: 'Bytes',
    definition:
      'Size of one occurrence, as NCCL’s tests count it: the operands of one device; of an all-gather what each device has in the end.',
    formula: 'from the shapes of the program',
    unit: 'bytes',
  },
  group_size: {
    title: 'Group',
    definition: 'Devices that take part together, by the replica groups of the program.',
    formula: '',
    unit: '',
  },
  mesh_axes: {
    title: 'Mesh axes',
    definition:
      'Axes of the device mesh along which it communicates. Newer compilers write them; else they are guessed from the strides of the groups.',
    formula: '',
    unit: '',
  },
  bus_bandwidth: {
    title: 'Bus bandwidth',
    definition: 'What every link of a ring carries, whatever the number of devices.',
    formula:
      'bytes ÷ mean time × factor; all-reduce 2 (n − 1) ÷ n, all-gather, reduce-scatter, all-to-all (n − 1) ÷ n, others 1',
    unit: RATE,
  },
  transfer_bandwidth: {
    title: 'Without waiting',
    definition: 'Bus bandwidth over the transfer alone, without waiting for the last participant.',
    formula: 'bytes ÷ mean transfer × factor',
    unit: RATE,
  },
  link_ratio: {
    title: 'Of link',
    definition:
      'Bus bandwidth against the peak of one link to a neighbour, one way. Above 100 % where several links are used at once.',
    formula: 'bus bandwidth ÷ peak of one link',
    unit: SHARE,
  },
  algorithm: {
    title: 'Algorithm',
    definition: 'Algorithm and protocol, where the name of the kernel says.',
    formula: '',
    unit: '',
  },
  'instances.duration_ps': {
    title: 'Duration',
    definition: 'From the first arrival to the last end.',
    formula: 'skew + transfer',
    unit: TIME,
  },
  skew_ps: {
    title: 'Skew',
    definition: 'From the first arrival to the last.',
    formula: 'last arrival − first arrival, on aligned clocks',
    unit: TIME,
  },
  'instances.transfer_ps': {
    title: 'Transfer',
    definition: 'From the last arrival to the last end.',
    formula: '',
    unit: TIME,
  },
  'instances.wait_ps': {
    title: 'Wait of all',
    definition: 'Waiting of all participants together.',
    formula: 'Σ last arrival − own arrival',
    unit: TIME,
  },
  last_device: {
    title: 'Last to arrive',
    definition: 'The device that the others waited for.',
    formula: '',
    unit: '',
  },
  participants: {
    title: 'Participants',
    definition: 'Devices of the session that took part.',
    formula: '',
    unit: '',
  },
  'collectives.step_total_ps': {
    title: 'Communication',
    definition: 'Time in the step in which a device communicated, mean over devices.',
    formula: 'union of its collectives',
    unit: TIME,
  },
  max_exposed_ps: {
    title: 'There',
    definition: 'Exposed communication of the device that had most of it.',
    formula: '',
    unit: TIME,
  },
  rendezvous: {
    title: 'Rendezvous',
    definition: 'Name under which both sides of an exchange meet, else its channel.',
    formula: '',
    unit: '',
  },
  transfer_type: {
    title: 'Type',
    definition: 'Kind of exchange over the network between slices, as the program names it.',
    formula: '',
    unit: '',
  },
  'rendezvous.participants': {
    title: 'Between',
    definition: 'How many take part in the exchange, as the profiler recorded with its op.',
    formula: '',
    unit: '',
  },
  total_stall_ps: {
    title: 'Total stall',
    definition: 'Time the device spent in the four ops of the exchange.',
    formula: 'Σ send + send-done + recv + recv-done',
    unit: TIME,
  },
  stall_ps: {
    title: 'Stall',
    definition: 'The same of one occurrence.',
    formula: 'total stall ÷ count',
    unit: TIME,
  },
  slack_ps: {
    title: 'Slack',
    definition: 'Time that was there to hide the exchange.',
    formula: 'start of recv-done − start of send − other communication in between',
    unit: TIME,
  },
  observed_ps: {
    title: 'Observed',
    definition: 'Mean time from the start of the send to the end of the receive.',
    formula: '',
    unit: TIME,
  },
  'rendezvous.bytes': {
    title: 'Bytes',
    definition: 'Bytes over the network in one occurrence.',
    formula: 'bytes received, by the kind of exchange and how many take part',
    unit: 'bytes',
  },
  required_bandwidth: {
    title: 'Required',
    definition: 'Bandwidth that would hide the exchange.',
    formula: 'bytes ÷ slack',
    unit: RATE,
  },
  'shardings.name': {
    title: 'Value',
    definition: 'Input or output of a program: as the framework calls it, else its instruction.',
    formula: '',
    unit: '',
  },
  is_input: {
    title: 'In, out',
    definition: 'Whether the value goes into the program or comes out of it.',
    formula: '',
    unit: '',
  },
  partition: {
    title: 'Partition',
    definition:
      'Mesh axes that cut each dimension, as JAX writes them; P() is whole on every device.',
    formula: 'from the sharding of the program; axes it does not name are numbered',
    unit: '',
  },
  'shardings.shape': {
    title: 'Shape on one device',
    definition: 'Shape of the part that one device has.',
    formula: '',
    unit: '',
  },
  'shardings.device_bytes': {
    title: 'On one device',
    definition: 'Bytes of the value on one device.',
    formula: 'from its shape, without padding',
    unit: 'bytes',
  },
  'shardings.total_bytes': {
    title: 'On all',
    definition: 'Bytes of the value on all devices together.',
    formula: 'on one device × devices',
    unit: 'bytes',
  },
  replicated_bytes: {
    title: 'Beyond one copy',
    definition: 'Bytes that would not be there if every part existed once.',
    formula: 'on all − on one device × parts',
    unit: 'bytes',
  },
  part_count: {
    title: 'Parts',
    definition: 'Different parts the value is cut into.',
    formula: '',
    unit: '',
  },
  'shardings.device_count': {
    title: 'Devices',
    definition: 'Devices the program runs on.',
    formula: '',
    unit: '',
  },
  'shardings.program': {
    title: 'Program',
    definition: 'The program and its id.',
    formula: '',
    unit: '',
  },
  send_op: { title: 'Send', definition: 'Op that sends.', formula: '', unit: '' },
  recv_op: { title: 'Receive', definition: 'Op that receives.', formula: '', unit: '' },
};
