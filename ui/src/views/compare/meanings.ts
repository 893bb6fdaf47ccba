/** What the figures of a comparison mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  all_steps_ps: {
    title: 'Step, outliers included',
    definition: 'Mean of all selected steps.',
    formula: '',
    unit: TIME,
  },
  compilation_count: {
    title: 'Compilations',
    definition: 'Compilations in the capture.',
    formula: '',
    unit: '',
  },
  interval: {
    title: 'Interval',
    definition: 'Where the difference of the mean steps lies, with the noise between runs of one program counted in.',
    formula: 'difference ± t × √variance',
    unit: TIME,
  },
  waterfall: {
    title: 'Waterfall',
    definition: 'The difference of the mean step as a sum. The axis does not begin at 0. Gray bars are within the noise of the steps.',
    formula: 'step = Σ parts; a part = Σ self time of its ops × how much they overlap',
    unit: TIME,
  },
  occurrences: {
    title: 'A step',
    definition: 'Number of runs per step; before → now where that changed.',
    formula: 'mean over devices',
    unit: '',
  },
  programs: {
    title: 'Programs',
    definition: 'Compiled programs, matched by name and content.',
    formula: '',
    unit: '',
  },
  environment: {
    title: 'Environment',
    definition: 'Versions, chips, flags, options and manifests that differ.',
    formula: '',
    unit: '',
  },
};
