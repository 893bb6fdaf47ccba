/** What the figures of requests mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  phases: {
    title: 'Phases',
    definition: 'Preparing, queueing for the batch, forming it, the runtime, copies, device work, finishing. Each instant counts once, device work first; time that no record explains is left over.',
    formula: '',
    unit: TIME,
  },
};
