/** What the figures of compilations mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  phases: {
    title: 'Phases',
    definition: 'Tracing, lowering, cache, HLO passes, code generation, autotuning and the rest of the backend, over all threads of the host. Each instant counts once, so the phases sum to the duration.',
    formula: '',
    unit: TIME,
  },
};
