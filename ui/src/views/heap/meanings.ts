/** What the figures of live memory mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
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
};
