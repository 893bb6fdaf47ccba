/** What the figures of the tree of ops mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  levels: {
    title: 'Memory',
    definition: 'Bytes through this memory, and their rate against its peak.',
    formula: 'bytes ÷ time ÷ peak',
    unit: 'bytes, per cent',
  },
  idle_ps: {
    title: 'Idle',
    definition: 'Time without work, from the first to the last work of each device, or in the selected steps.',
    formula: 'Σ over devices of (elapsed − busy)',
    unit: TIME,
  },
};
