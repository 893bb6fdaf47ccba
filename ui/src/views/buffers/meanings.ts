/** What the figures of a memory plan mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  scoped_vmem_bytes: {
    title: 'Scoped VMEM',
    definition: 'Most VMEM that one instruction reserves for its own use while it runs.',
    formula: '',
    unit: 'bytes',
  },
};
