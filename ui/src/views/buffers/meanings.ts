/** What the figures of a memory plan mean. */
import { SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'buffers.name': {
    title: 'Buffer',
    definition:
      'The instruction whose value it holds, and the position in its tuple. A block that several values take over one after another is called by the last.',
    formula: '',
    unit: '',
  },
  'buffers.peak_bytes': {
    title: 'Peak',
    definition: 'Most bytes held at any point of the schedule, padding included.',
    formula: 'largest sum of what lives at a point',
    unit: 'bytes',
  },
  'buffers.ratio': {
    title: 'Share',
    definition: 'Share of what is held at the point.',
    formula: 'bytes ÷ Σ bytes at the point',
    unit: SHARE,
  },
  'buffers.category': {
    title: 'For',
    definition:
      'What the memory is for: the first that applies of argument, result, thread-local, constant, temporary.',
    formula: '',
    unit: '',
  },
  allocation_bytes: {
    title: 'Reserved',
    definition: 'Bytes that the program takes while it runs.',
    formula: 'Σ sizes of allocations',
    unit: 'bytes',
  },
  parameter_bytes: {
    title: 'Arguments',
    definition: 'Bytes of arguments, those handed over to results included.',
    formula: '',
    unit: 'bytes',
  },
  temporary_bytes: {
    title: 'Temporaries',
    definition: 'Bytes reserved for intermediate values.',
    formula: '',
    unit: 'bytes',
  },
  padding_bytes: {
    title: 'Padding',
    definition: 'Bytes that a layout in whole tiles takes beyond its elements.',
    formula: 'bytes − Π dimensions × bytes of an element',
    unit: 'bytes',
  },
  scoped_vmem_bytes: {
    title: 'Scoped VMEM',
    definition: 'Most VMEM that one instruction reserves for its own use while it runs.',
    formula: '',
    unit: 'bytes',
  },
  offset_bytes: {
    title: 'Offset',
    definition: 'Bytes from the beginning of its allocation.',
    formula: '',
    unit: 'bytes',
  },
  end_instruction: {
    title: 'Freed at',
    definition:
      'Where the schedule is when it is freed: the instruction that was last given memory.',
    formula: '',
    unit: '',
  },
};
