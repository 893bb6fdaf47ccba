/** What the figures of a scope mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  combined: {
    title: 'Combined ops',
    definition: 'XLA combines ops, such as the all-reduces of many gradients. Such an op stands under the nearest scope that holds all it serves, or its time is divided over them: by the bytes of its operands where these tell the paths apart, else equally.',
    formula: '',
    unit: '',
  },
  phases: {
    title: 'Forward, backward, rematerialised',
    definition: 'How the total divides between the forward pass, the backward pass, and recomputation.',
    formula: '',
    unit: TIME,
  },
};
