/** What the figures of memory mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  name: {
    title: 'Who',
    definition: 'The op it was allocated for, else the call of the host that allocated it.',
    formula: '',
    unit: '',
  },
};
