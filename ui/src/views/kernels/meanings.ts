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
};
