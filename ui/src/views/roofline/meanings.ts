/** What the figures of a roofline mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  per_second: {
    title: 'Per second',
    definition: 'Peak rate of operations or bytes.',
    formula: '',
    unit: 'FLOP or bytes per second',
  },
};
