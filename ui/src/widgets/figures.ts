/**
 * What every figure means: title, definition, formula, unit. One dictionary for all views; keys are
 * those of the reports, with `view.` in front where one key has two meanings.
 */

export interface Figure {
  title: string;
  definition: string;
  /** How it is computed; empty when it is recorded as it stands. */
  formula: string;
  /** Empty for texts. */
  unit: string;
}

const TIME = 'time; recorded in picoseconds';
const SHARE = 'per cent';

const FIGURES: Record<string, Figure> = {
  // Steps
  step_time_ps: {
    title: 'Step time',
    definition:
      'Length of a step, over the selected steps; one value per step, the mean of its hosts and devices.',
    formula: 'mean = Σ duration ÷ steps',
    unit: TIME,
  },
  step: {
    title: 'Step',
    definition: 'Step number as recorded, or counted where steps are inferred.',
    formula: '',
    unit: '',
  },
  start_ps: {
    title: 'Start',
    definition: 'Time since the session began.',
    formula: '',
    unit: TIME,
  },
  duration_ps: {
    title: 'Duration',
    definition: 'Length of the step on this device. Its parts sum to it.',
    formula: 'duration = Σ parts',
    unit: TIME,
  },
  step_busy_ps: {
    title: 'Busy',
    definition: 'Time inside the step in which the device ran at least one op or kernel.',
    formula: 'length of the union of work intervals',
    unit: TIME,
  },
  step_busy_ratio: {
    title: 'Busy share',
    definition: 'Share of the step in which the device worked.',
    formula: 'busy ÷ duration',
    unit: SHARE,
  },
  is_outlier: {
    title: 'Outlier',
    definition:
      'The step is further from the median than 3.5 robust deviations and at least 5 % of it.',
    formula: '0.6745 · |x − median| ÷ MAD > 3.5',
    unit: '',
  },
  step_parts: {
    title: 'Parts of a step',
    definition:
      'Every instant of a step belongs to exactly one part: where several apply, the first in the list wins. So parts never overlap and sum to the step.',
    formula: 'Σ parts = duration',
    unit: TIME,
  },
  device_compute: {
    title: 'Device compute',
    definition: 'A device runs an op or kernel that is neither communication nor a copy.',
    formula: '',
    unit: TIME,
  },
  collectives: {
    title: 'Collectives',
    definition: 'A device runs a collective and computes nothing meanwhile: exposed communication.',
    formula: '',
    unit: TIME,
  },
  host_to_device: {
    title: 'Host to device',
    definition: 'A host-to-device copy runs, and no compute or collective.',
    formula: '',
    unit: TIME,
  },
  device_to_host: {
    title: 'Device to host',
    definition: 'A device-to-host copy runs, and nothing listed before it.',
    formula: '',
    unit: TIME,
  },
  device_to_device: {
    title: 'Device to device',
    definition: 'A device-to-device copy runs, and nothing listed before it.',
    formula: '',
    unit: TIME,
  },
  input_wait: {
    title: 'Input wait',
    definition: 'The device is idle while the host waits for or prepares input.',
    formula: '',
    unit: TIME,
  },
  compilation: {
    title: 'Compilation',
    definition: 'The device is idle while the host compiles.',
    formula: '',
    unit: TIME,
  },
  host_overhead: {
    title: 'Host overhead',
    definition: 'The device is idle while the host does other recorded work.',
    formula: '',
    unit: TIME,
  },
  idle: {
    title: 'Idle',
    definition: 'Nothing was recorded on device or host.',
    formula: '',
    unit: TIME,
  },
  part_ratio: {
    title: 'Share of the step',
    definition: 'Share of the mean step.',
    formula: 'part ÷ mean step',
    unit: SHARE,
  },

  // Devices
  device_busy_ratio: {
    title: 'Device busy',
    definition:
      'Share of the observed window in which the device ran at least one op or kernel; the mean over devices.',
    formula: 'union of work intervals ÷ window',
    unit: SHARE,
  },
  window_ps: {
    title: 'Window',
    definition:
      'What the busy share refers to: the selected steps, or first to last work of any device.',
    formula: '',
    unit: TIME,
  },

  // Ops
  name: {
    title: 'Op',
    definition: 'Name of the HLO instruction, or of the kernel where no op is known.',
    formula: '',
    unit: '',
  },
  program: {
    title: 'Program',
    definition: 'The compiled executable the op belongs to, with its id.',
    formula: '',
    unit: '',
  },
  category: {
    title: 'Category',
    definition: 'HLO category as XLA names it.',
    formula: '',
    unit: '',
  },
  class: {
    title: 'Class',
    definition: 'What kind of work it is; decides the colour, the same in every view.',
    formula: '',
    unit: '',
  },
  occurrences: {
    title: 'Count',
    definition: 'How often it ran, over the selected devices and steps.',
    formula: '',
    unit: '',
  },
  total_ps: {
    title: 'Total',
    definition: 'Time from start to end, summed; what runs nested inside is included.',
    formula: 'Σ duration',
    unit: TIME,
  },
  self_ps: {
    title: 'Self',
    definition: 'Time in the op itself, without what runs nested inside it, summed.',
    formula: 'Σ (duration − nested children)',
    unit: TIME,
  },
  self_ratio: {
    title: 'Self share',
    definition: 'Share of the self time of all selected ops.',
    formula: 'self ÷ Σ self',
    unit: SHARE,
  },
  flops: {
    title: 'FLOP',
    definition: 'Floating point operations of one execution, recorded or computed from the HLO.',
    formula: '',
    unit: 'floating point operations',
  },
  bytes: {
    title: 'Bytes',
    definition: 'Bytes one execution reads and writes, recorded or computed from the HLO.',
    formula: '',
    unit: 'bytes',
  },
  flop_rate: {
    title: 'FLOP rate',
    definition: 'Achieved rate of floating point operations.',
    formula: 'flops × count ÷ total',
    unit: 'FLOP per second',
  },
  bandwidth: {
    title: 'Bandwidth',
    definition: 'Achieved rate of memory traffic.',
    formula: 'bytes × count ÷ total',
    unit: 'bytes per second',
  },
  bound_by: {
    title: 'Bound',
    definition:
      'Which roof limits the op: compute or memory. Empty when the peaks of the chip or the work of the op are unknown.',
    formula: '',
    unit: '',
  },
  roofline_ratio: {
    title: 'Of roof',
    definition: 'How close the op comes to the roof that limits it.',
    formula: 'max(FLOP rate ÷ peak, bandwidth ÷ peak)',
    unit: SHARE,
  },
  cost_source: {
    title: 'Work from',
    definition:
      'Where FLOP and bytes came from: recorded in the profile, or computed from the HLO.',
    formula: '',
    unit: '',
  },
  scope: {
    title: 'Scope',
    definition: 'JAX name stack: the transformations and named scopes the op was traced in.',
    formula: '',
    unit: '',
  },
  source: {
    title: 'Source',
    definition: 'File and line of the program that the op comes from.',
    formula: '',
    unit: '',
  },
  device: { title: 'Device', definition: 'What JAX calls a device.', formula: '', unit: '' },
  attributed_ratio: {
    title: 'Attributed',
    definition:
      'Share of device work time whose op (or scope, or source line) is known. The rest is listed under its own name.',
    formula: 'attributed time ÷ work time',
    unit: SHARE,
  },

  // Kernels
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

  // Scopes
  'scopes.name': {
    title: 'Scope',
    definition: 'Last component of the name stack, or the file and line.',
    formula: '',
    unit: '',
  },
  'scopes.total_ps': {
    title: 'Total',
    definition: 'Self time of all ops at or below this node.',
    formula: 'Σ self',
    unit: TIME,
  },
  'scopes.self_ps': {
    title: 'Self',
    definition: 'Self time of the ops exactly at this node.',
    formula: 'Σ self',
    unit: TIME,
  },
  'scopes.ratio': {
    title: 'Share',
    definition: 'Share of the self time of everything selected.',
    formula: 'total ÷ Σ self',
    unit: SHARE,
  },
  'scopes.flops': {
    title: 'FLOP',
    definition: 'Floating point operations of all executions at or below.',
    formula: 'Σ flops × count',
    unit: 'floating point operations',
  },
  'scopes.bytes': {
    title: 'Bytes',
    definition: 'Bytes read and written by all executions at or below.',
    formula: 'Σ bytes × count',
    unit: 'bytes',
  },
  forward_ps: {
    title: 'Forward',
    definition: 'Part of the total in the forward pass.',
    formula: '',
    unit: TIME,
  },
  backward_ps: {
    title: 'Backward',
    definition: 'Part of the total in the backward pass: the name stack contains transpose(.',
    formula: '',
    unit: TIME,
  },
  rematerialised_ps: {
    title: 'Rematerialised',
    definition:
      'Part of the total that computes again what the forward pass already had: checkpoint, rematted_computation, .remat.',
    formula: '',
    unit: TIME,
  },
  phases: {
    title: 'Forward, backward, rematerialised',
    definition:
      'How the total divides between the forward pass, the backward pass, and recomputation.',
    formula: '',
    unit: TIME,
  },

  // Heap
  'heap.site': {
    title: 'Allocated in',
    definition:
      'Innermost function of the stack that is shown: the line of your program that asked for the memory, as frames of JAX and of libraries are folded unless asked for.',
    formula: '',
    unit: '',
  },
  'heap.bytes': {
    title: 'Bytes',
    definition:
      'Bytes of arrays and executables alive when the snapshot was taken.',
    formula: 'Σ bytes of live allocations',
    unit: 'bytes',
  },
  'heap.allocations': {
    title: 'Count',
    definition:
      'Allocations alive when the snapshot was taken.',
    formula: '',
    unit: '',
  },
  'heap.total_bytes': {
    title: 'Bytes',
    definition:
      'Bytes of stacks the function takes part in; a stack counts once, however often the function recurs in it.',
    formula: 'Σ bytes of stacks with it',
    unit: 'bytes',
  },
  'heap.self_bytes': {
    title: 'Self',
    definition:
      'Bytes of stacks that end in the function.',
    formula: 'Σ bytes of stacks that end in it',
    unit: 'bytes',
  },
  'heap.total_allocations': {
    title: 'Count',
    definition:
      'Allocations of stacks the function takes part in.',
    formula: '',
    unit: '',
  },
  'heap.self_allocations': {
    title: 'Self count',
    definition:
      'Allocations of stacks that end in the function.',
    formula: '',
    unit: '',
  },
  'heap.ratio': {
    title: 'Share',
    definition:
      'Share of everything selected, of bytes or of allocations, whichever is chosen above.',
    formula: 'amount ÷ total',
    unit: 'per cent',
  },
  'heap.change_bytes': {
    title: 'Change',
    definition:
      'Bytes alive now less those alive in the snapshot compared with.',
    formula: 'now − then',
    unit: 'bytes',
  },
  'heap.change_allocations': {
    title: 'Change of count',
    definition:
      'Allocations alive now less those alive in the snapshot compared with.',
    formula: 'now − then',
    unit: '',
  },
  'heap.change': {
    title: 'State',
    definition:
      'What became of the stack: new, grown, same, shrunk or gone.',
    formula: '',
    unit: '',
  },
  'heap.kind': {
    title: 'Kind',
    definition:
      'What was allocated: a buffer (an array) or an executable (a compiled program).',
    formula: '',
    unit: '',
  },
  'heap.devices': {
    title: 'Devices',
    definition:
      'Devices that hold it. Executables name none.',
    formula: '',
    unit: '',
  },
  'heap.taken': {
    title: 'Taken',
    definition:
      'When the snapshot was taken, if the profile records it; JAX does not, so it is mostly when the file was last written.',
    formula: '',
    unit: '',
  },

  // Sessions
  session_kind: {
    title: 'Kind',
    definition:
      'What was recorded: a trace of what ran when, memory snapshots of what was alive, or both.',
    formula: '',
    unit: '',
  },
  size_bytes: {
    title: 'Size',
    definition: 'Size of the files of the session, as stored.',
    formula: '',
    unit: 'bytes',
  },
  session_duration_ps: {
    title: 'Duration',
    definition: 'First to last recorded slice. Known once the session was opened.',
    formula: '',
    unit: TIME,
  },
  step_count: {
    title: 'Steps',
    definition: 'Steps recorded or inferred. Known once the session was opened.',
    formula: '',
    unit: '',
  },
};

/** The figure of a key; `view.key` falls back to `key`. */
export function figureOf(key: string): Figure | undefined {
  return FIGURES[key] ?? FIGURES[key.slice(key.indexOf('.') + 1)];
}
