/** What the figures of compilations mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'compile.function': {
    title: 'Function',
    definition:
      'The jitted function whose call compiled. Again: it was compiled before in the window, or a program of it ran before.',
    formula: '',
    unit: '',
  },
  'compile.duration_ps': {
    title: 'Duration',
    definition: 'From the first slice of the compilation to the last.',
    formula: '',
    unit: TIME,
  },
  'compile.phases': {
    title: 'Phases',
    definition:
      'Tracing, lowering, cache, HLO passes, code generation, autotuning and the rest of the backend, over all threads of the host; an instant counts once, and they sum to the duration.',
    formula: '',
    unit: TIME,
  },
  'compile.cache': {
    title: 'Cache',
    definition:
      'The persistent compilation cache: a hit where it was asked and no compiler ran, a miss where one did.',
    formula: '',
    unit: '',
  },
  'compile.change': {
    title: 'What changed',
    definition: 'Arguments whose shape or dtype differs from those of the program before.',
    formula: '',
    unit: '',
  },
  'pass.self_ps': {
    title: 'Self',
    definition: 'Time of the pass without the passes that run within it.',
    formula: 'duration − what runs within',
    unit: TIME,
  },
  'pass.total_ps': {
    title: 'Total',
    definition: 'Time of the pass with the passes that run within it.',
    formula: '',
    unit: TIME,
  },
};
