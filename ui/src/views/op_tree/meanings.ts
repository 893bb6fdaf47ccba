/** What the figures of the tree of ops mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  of_ops: {
    title: 'Of ops',
    definition: 'Self time as a share of the self time of all ops. “Idle time” adds idle time to the whole.',
    formula: 'self ÷ Σ self',
    unit: 'percent',
  },
  wasted_of_ops: {
    title: 'Of ops',
    definition: 'Wasted time as a share of the self time of all ops.',
    formula: 'wasted ÷ Σ self',
    unit: 'percent',
  },
  levels: {
    title: 'Memory',
    definition: 'Bytes moved through this memory, and their rate as a share of its peak.',
    formula: 'bytes ÷ time ÷ peak',
    unit: 'bytes, percent',
  },
};
