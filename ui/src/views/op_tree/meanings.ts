/** What the figures of the tree of ops mean. */
import { SHARE, TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'op_tree.name': {
    title: 'Node',
    definition:
      'A program, category, scope or op. Ops whose HLO text is the same but for names, such as those of equal layers, are one node with their number.',
    formula: '',
    unit: '',
  },
  'op_tree.self_ps': {
    title: 'Self',
    definition: 'Self time of all ops at or below this node; children sum to their parent.',
    formula: 'Σ (duration − slices nested within)',
    unit: TIME,
  },
  'op_tree.total_ps': {
    title: 'Total',
    definition: 'Durations of all ops at or below; nested ops count again in the op around them.',
    formula: 'Σ duration',
    unit: TIME,
  },
  'op_tree.ratio': {
    title: 'Share',
    definition: 'Of all self time, and of idle time where it is shown.',
    formula: 'self ÷ (Σ self + idle)',
    unit: SHARE,
  },
  'op_tree.waste_ratio': {
    title: 'Of the time',
    definition: 'Wasted time against all self time, and idle time where it is shown.',
    formula: 'wasted ÷ (Σ self + idle)',
    unit: SHARE,
  },
  'op_tree.levels': {
    title: 'Memory',
    definition: 'Bytes through this memory, and their rate against its peak.',
    formula: 'bytes ÷ time ÷ peak',
    unit: 'bytes, per cent',
  },
  wasted_ps: {
    title: 'Wasted',
    definition:
      'What would be saved if the op used what bounds it fully. Time in halves of asynchronous ops is waiting, and all of it wasted. Unknown where peaks or work are.',
    formula: 'self × (1 − best use), the use being at most 1',
    unit: TIME,
  },
  best_ratio: {
    title: 'Best use',
    definition: 'Rate against peak, of compute or of the memory that is used most.',
    formula: 'largest of rate ÷ peak',
    unit: SHARE,
  },
  duplicate_count: {
    title: 'Duplicates',
    definition: 'Ops with the same HLO text but for names, merged into this node.',
    formula: '',
    unit: '',
  },
  idle_ps: {
    title: 'Idle',
    definition:
      'Time without work, from the first to the last work of each device, or in the selected steps.',
    formula: 'Σ over devices of (elapsed − busy)',
    unit: TIME,
  },
};
