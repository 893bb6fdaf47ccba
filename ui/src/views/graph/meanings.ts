/** What the figures of an instruction mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  radius: {
    title: 'Radius',
    definition: 'Largest distance from the op, in edges to operands and users, within its computation.',
    formula: '',
    unit: '',
  },
};
