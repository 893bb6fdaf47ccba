/** What the figures of gaps mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  buckets: {
    title: 'By length',
    definition: 'Listed gaps by length, in powers of ten.',
    formula: '',
    unit: TIME,
  },
};
