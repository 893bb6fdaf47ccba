/** What the figures of a scope mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  combined: {
    title: 'Combined ops',
    definition: 'XLA combines ops, such as the all-reduces of many gradients. A combined op is listed under the nearest scope that contains all scopes it serves, or its time is split among them: by the bytes of its operands if these identify the paths, otherwise equally.',
    formula: '',
    unit: '',
  },
  phases: {
    title: 'Forward, backward, rematerialized',
    definition: 'How the total divides between the forward pass, the backward pass, and recomputation.',
    formula: '',
    unit: TIME,
  },
  unknown: {
    title: 'Unknown pass',
    definition: 'Work without a name stack. Whether it belongs to the forward or the backward pass is unknown.',
    formula: 'total − forward − backward − rematerialized',
    unit: TIME,
  },
};
