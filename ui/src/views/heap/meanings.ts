/** What the figures of live memory mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  taken: {
    title: 'Taken',
    definition: 'When the snapshot was taken, if the profile records it; JAX does not, so it is mostly when the file was last written.',
    formula: '',
    unit: '',
  },
};
