/** What the figures of gaps mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  buckets: {
    title: 'By length',
    definition: 'Gaps by length, in powers of ten. Those too short to be listed have no cause.',
    formula: '',
    unit: TIME,
  },
};
