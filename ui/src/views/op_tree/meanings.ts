/** What the figures of the tree of ops mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  levels: {
    title: 'Memory',
    definition: 'Bytes moved through this memory, and their rate as a share of its peak.',
    formula: 'bytes ÷ time ÷ peak',
    unit: 'bytes, percent',
  },
};
