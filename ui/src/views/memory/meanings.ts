/** What the figures of memory mean. */
import { SHARE, TIME, type Figure } from '../../widgets/figure';

const BYTES = 'bytes';

export const MEANINGS: Record<string, Figure> = {
  'memory.peak_bytes': {
    title: 'Peak',
    definition: 'Most bytes taken at once in the recording or the selected steps.',
    formula: 'largest (handed out + set aside for programs)',
    unit: BYTES,
  },
  'memory.recorded_peak_bytes': {
    title: 'Recorded peak',
    definition:
      'Most bytes handed out at once since the process began, as the allocator itself counts them; what is set aside for programs is not in it.',
    formula: '',
    unit: BYTES,
  },
  'memory.headroom_bytes': {
    title: 'Headroom',
    definition: 'What was still free at the larger of both peaks.',
    formula: 'capacity − the larger peak',
    unit: BYTES,
  },
  'memory.growth_bytes_per_step': {
    title: 'Growth',
    definition: 'How much more is in use at the low point of a step than at that of the one before.',
    formula: 'median of the slopes between all pairs of steps (Theil and Sen)',
    unit: BYTES,
  },
  'memory.fragmentation_ratio': {
    title: 'Fragmentation',
    definition: 'How scattered the free bytes were, as the allocator computes it.',
    formula: '',
    unit: SHARE,
  },
  'memory.allocations': {
    title: 'Allocations',
    definition: 'Allocations recorded.',
    formula: '',
    unit: '',
  },
  'memory.name': {
    title: 'Who',
    definition: 'The op it was allocated for, else the call of the host that allocated it.',
    formula: '',
    unit: '',
  },
  'memory.bytes': {
    title: 'Bytes',
    definition: 'Bytes that were alive at the peak; the rows sum to it.',
    formula: '',
    unit: BYTES,
  },
  'memory.ratio': { title: 'Of the peak', definition: 'Its share.', formula: 'bytes ÷ peak', unit: SHARE },
  'memory.count': {
    title: 'Count',
    definition: 'Allocations of one size, for one purpose and from one caller.',
    formula: '',
    unit: '',
  },
  'memory.caller': {
    title: 'Called from',
    definition: 'The innermost recorded call of the thread that allocated.',
    formula: '',
    unit: '',
  },
  'memory.source': {
    title: 'Python',
    definition: 'The Python line that allocated, with the Python tracer on.',
    formula: '',
    unit: '',
  },
  'memory.shape': { title: 'Shape', definition: 'As recorded.', formula: '', unit: '' },
  'memory.data_type': { title: 'Type', definition: 'Element type.', formula: '', unit: '' },
  'memory.region': { title: 'Region', definition: 'As recorded.', formula: '', unit: '' },
  'memory.allocated_ps': {
    title: 'Allocated',
    definition: 'When the first of them was allocated.',
    formula: '',
    unit: TIME,
  },
  'memory.allocated_step': {
    title: 'Step',
    definition: 'The step in which that was.',
    formula: '',
    unit: '',
  },
  'memory.freed_ps': {
    title: 'Freed',
    definition: 'When the last of them was freed; nothing where one outlives the recording.',
    formula: '',
    unit: TIME,
  },
};
