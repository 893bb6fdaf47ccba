/** What the figures of a comparison mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  interval: {
    title: 'Interval',
    definition: 'Confidence interval of the difference of the mean typical steps, including noise between runs of the same program.',
    formula: 'difference ± t × √variance',
    unit: TIME,
  },
  waterfall: {
    title: 'Waterfall',
    definition: 'The difference of the mean typical steps as a sum of causes. The axis does not start at 0. Gray bars are within noise. Outlier steps, which a typical step excludes, stand below.',
    formula: 'step = Σ parts; a part = Σ self time of its ops × how much they overlap',
    unit: TIME,
  },
  occurrences: {
    title: 'Per step',
    definition: 'Number of executions per step; before → now if it changed.',
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
