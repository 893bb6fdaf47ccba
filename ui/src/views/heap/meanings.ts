/** What the figures of live memory mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  taken: {
    title: 'Taken',
    definition: 'When the snapshot was taken, if recorded. JAX does not record it, so this is usually when the file was last written.',
    formula: '',
    unit: '',
  },
};
