/** What the figures of memory mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  name: {
    title: 'Owner',
    definition: 'The op that the memory was allocated for, otherwise the host call that allocated it.',
    formula: '',
    unit: '',
  },
};
