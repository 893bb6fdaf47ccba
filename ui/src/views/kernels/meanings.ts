/** What the figures of a kernel and of a copy mean. */
import { TIME, SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'kernels.name': {
    title: 'Kernel',
    definition: 'The function that ran on the GPU.',
    formula: '',
    unit: '',
  },
  mean_ps: {
    title: 'Mean',
    definition: 'Mean duration of one launch.',
    formula: 'total ÷ launches',
    unit: TIME,
  },
  min_ps: { title: 'Min', definition: 'Shortest launch.', formula: '', unit: TIME },
  max_ps: { title: 'Max', definition: 'Longest launch.', formula: '', unit: TIME },
  registers: { title: 'Registers', definition: 'Registers per thread.', formula: '', unit: '' },
  shared_bytes: {
    title: 'Shared memory',
    definition: 'Static and dynamic shared memory per block.',
    formula: '',
    unit: 'bytes',
  },
  grid: { title: 'Grid', definition: 'Blocks of a launch: x, y, z.', formula: '', unit: '' },
  block: { title: 'Block', definition: 'Threads of a block: x, y, z.', formula: '', unit: '' },
  occupancy: {
    title: 'Occupancy',
    definition:
      'Theoretical occupancy of the launch: resident warps against what the chip can hold.',
    formula: '',
    unit: SHARE,
  },
  op: {
    title: 'Op',
    definition: 'The HLO op or framework op the kernel ran for.',
    formula: '',
    unit: '',
  },
  stream: { title: 'Stream', definition: 'GPU streams it ran on.', formula: '', unit: '' },
  direction: {
    title: 'Direction',
    definition: 'From where to where the bytes went.',
    formula: '',
    unit: '',
  },
  'transfers.bytes': {
    title: 'Bytes',
    definition: 'Bytes moved, summed.',
    formula: '',
    unit: 'bytes',
  },
  'transfers.bandwidth': {
    title: 'Bandwidth',
    definition: 'Bytes moved per second of copying.',
    formula: 'bytes ÷ total',
    unit: 'bytes per second',
  },
  latency_mean_ps: {
    title: 'Launch latency',
    definition:
      'From the begin of the host call that launched it to the begin of the kernel. Of a call that starts several kernels the first counts.',
    formula: 'mean of (begin of the kernel − begin of the call)',
    unit: TIME,
  },
  latency_p50_ps: { title: 'Median', definition: 'Half are no longer.', formula: '', unit: TIME },
  latency_p99_ps: {
    title: '99 %',
    definition: '99 of 100 are no longer.',
    formula: '',
    unit: TIME,
  },
  latency_max_ps: { title: 'Longest', definition: 'The longest wait.', formula: '', unit: TIME },
  matrix_unit: {
    title: 'Matrix unit',
    definition:
      'Whether the kernel uses Tensor Cores or MFMA, told by its name; a dash where the name does not tell. The tooltip has the rule.',
    formula: '',
    unit: '',
  },
  occupancy_limit: {
    title: 'Limited by',
    definition:
      'What keeps more blocks from running at once: registers, shared memory, block slots, or the size of the block.',
    formula: '',
    unit: '',
  },
  launched: {
    title: 'Launches',
    definition: 'Kernels and copies whose launch call is recorded.',
    formula: '',
    unit: '',
  },
  launched_ratio: {
    title: 'Recorded',
    definition: 'Of all kernels and copies of the device.',
    formula: 'launches ÷ kernels and copies',
    unit: SHARE,
  },
  queue_mean: {
    title: 'Queue',
    definition: 'Launched and not finished, in the mean over time.',
    formula: '',
    unit: '',
  },
  queue_most: {
    title: 'Most queued',
    definition: 'The most launched and not finished at once; leads to that time.',
    formula: '',
    unit: '',
  },
  'kernels.queue': {
    title: 'Queue',
    definition:
      'Kernels and copies launched and not finished: dark in the mean, light at most. An empty queue means that the device waits for the host.',
    formula: 'calls begun − kernels and copies ended',
    unit: '',
  },
  'kernels.durations': {
    title: 'Kernels by duration',
    definition:
      'How many launches last how long, and what share of the kernel time is theirs. Many below 0.1 ms say that little was fused; above 1 ms launching costs nothing.',
    formula: '',
    unit: SHARE,
  },
  'kernels.tiny': {
    title: 'Tiny kernels',
    definition: 'Shorter than 0.1 ms.',
    formula: '',
    unit: SHARE,
  },
  calls: {
    title: 'Launch calls',
    definition: 'Host calls that began in the step and launched something.',
    formula: '',
    unit: '',
  },
  launch_ps: {
    title: 'Launching',
    definition: 'Time of the step in which the host was in a launch call, on any thread.',
    formula: 'length of the union of calls',
    unit: TIME,
  },
  'kernels.launch_ratio': {
    title: 'Of the step',
    definition: 'Launching against the duration of the step.',
    formula: 'launching ÷ duration',
    unit: SHARE,
  },
  'kernels.step': {
    title: 'Step',
    definition: 'Leads to its time on the timeline.',
    formula: '',
    unit: '',
  },
  'kernels.step_duration': {
    title: 'Duration',
    definition: 'Of the step on the host.',
    formula: '',
    unit: TIME,
  },
  'kernels.stream': {
    title: 'Stream',
    definition: 'A queue of the device whose work runs in order.',
    formula: '',
    unit: '',
  },
  'kernels.busy_ps': {
    title: 'Busy',
    definition: 'Time in which the stream ran something.',
    formula: 'length of the union of its slices',
    unit: TIME,
  },
  gap_ps: {
    title: 'In gaps',
    definition: 'Time without work between the first and the last of the stream.',
    formula: '',
    unit: TIME,
  },
  gap_count: { title: 'Gaps', definition: 'How many such times.', formula: '', unit: '' },
  largest_gap_ps: {
    title: 'Longest gap',
    definition: 'Leads to its time on the timeline.',
    formula: '',
    unit: TIME,
  },
  overlap_ratio: {
    title: 'Beside others',
    definition: 'Share of its busy time in which another stream of the device is busy too.',
    formula: 'overlap ÷ busy',
    unit: SHARE,
  },
  matrix_ratio: {
    title: 'On matrix units',
    definition: 'Kernel time in kernels that use Tensor Cores or MFMA, told by their names.',
    formula: 'time of those kernels ÷ time of all',
    unit: SHARE,
  },
  'kernels.matrix_total': {
    title: 'Kernels',
    definition: 'Duration of the kernels of the op.',
    formula: '',
    unit: TIME,
  },
  plain_ps: {
    title: 'Without',
    definition: 'Time of kernels whose names say that they use none.',
    formula: '',
    unit: TIME,
  },
  unknown_ps: {
    title: 'Not known',
    definition: 'Time of kernels whose names do not tell.',
    formula: '',
    unit: TIME,
  },
  is_eligible: {
    title: 'Matrix product',
    definition: 'The op is a matrix product, convolution or attention, so it could use them.',
    formula: '',
    unit: '',
  },
  memory: {
    title: 'Host memory',
    definition: 'Pageable memory is copied through a buffer of the driver, pinned memory directly.',
    formula: '',
    unit: '',
  },
  bandwidth_ratio: {
    title: 'Of the link',
    definition: 'Achieved bandwidth against the peak of the link; the tooltip has its source.',
    formula: 'bandwidth ÷ peak',
    unit: SHARE,
  },
  'kernels.attribution': {
    title: 'Op from',
    definition:
      'How the kernel was joined with its op: recorded in the profile, or inferred from the kernel’s name, its neighbours or its order.',
    formula: '',
    unit: '',
  },
  'kernels.size': { title: 'Size', definition: 'Bytes of one copy.', formula: '', unit: 'bytes' },
};
