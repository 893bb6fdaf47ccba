/** What the figures of a comparison mean. */
import { SHARE, TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'compare.step_ps': {
    title: 'Step',
    definition: 'Mean of the steps that are no outliers, by the rule of the steps view.',
    formula: 'mean over hosts of the mean over the host’s devices, per step',
    unit: TIME,
  },
  'compare.all_steps_ps': {
    title: 'Step, outliers included',
    definition: 'Mean of all selected steps.',
    formula: '',
    unit: TIME,
  },
  'compare.busy_ratio': {
    title: 'Device busy',
    definition: 'Share of the step in which a device worked.',
    formula: 'device busy ÷ step, in typical steps',
    unit: SHARE,
  },
  'compare.launch_count': {
    title: 'Launches a step',
    definition: 'Slices of work in a typical step: kernel launches and copies on GPUs.',
    formula: 'mean over devices',
    unit: '',
  },
  'compare.collective_bytes': {
    title: 'Collectives move',
    definition: 'Bytes that the collectives of a typical step move.',
    formula: 'mean over devices',
    unit: 'bytes',
  },
  'compare.memory_peak_bytes': {
    title: 'Memory peak',
    definition:
      'Largest memory in use on a device: by its allocator, else by memory snapshots, else by the memory plan of the largest program.',
    formula: '',
    unit: 'bytes',
  },
  'compare.compilation_count': {
    title: 'Compilations',
    definition: 'Compilations in the capture.',
    formula: '',
    unit: '',
  },
  'compare.compilation_ps': {
    title: 'Compiling',
    definition: 'Time in which a host compiled, of the host that did most.',
    formula: '',
    unit: TIME,
  },
  'compare.interval': {
    title: 'Interval',
    definition:
      'Where the difference of the mean steps lies, with the noise between runs of one program counted in.',
    formula: 'difference ± t × √variance',
    unit: TIME,
  },
  'compare.waterfall': {
    title: 'Waterfall',
    definition:
      'The difference of the mean step as a sum. The axis does not begin at 0. Grey bars are within the noise of the steps.',
    formula: 'step = Σ parts; a part = Σ self time of its ops × how much they overlap',
    unit: TIME,
  },
  'compare.matched': {
    title: 'Match',
    definition:
      'Ops are matched by scope, source line, opcode, shape, neighbours and place in the program, not by name.',
    formula: '',
    unit: '',
  },
  'compare.op_ps': {
    title: 'Self time a step',
    definition: 'Self time of the op in a typical step.',
    formula: 'mean over devices',
    unit: TIME,
  },
  'compare.difference_ps': {
    title: 'Difference',
    definition: 'Self time here − in the baseline. Grey is within the noise.',
    formula: '',
    unit: TIME,
  },
  'compare.ratio': {
    title: 'Relative',
    definition: 'Difference ÷ the baseline’s self time.',
    formula: '',
    unit: SHARE,
  },
  'compare.step_difference_ps': {
    title: 'Of the step',
    definition:
      'What the op does to the step: its difference, scaled so that the ops of a part sum to the part, since they may run beside each other.',
    formula: '',
    unit: TIME,
  },
  'compare.evidence': {
    title: 'Evidence',
    definition: 'Whether the difference is more than the noise of the steps explains.',
    formula: '',
    unit: '',
  },
  'compare.occurrences': {
    title: 'A step',
    definition: 'How often it runs in a step; before → now where that changed.',
    formula: 'mean over devices',
    unit: '',
  },
  'compare.programs': {
    title: 'Programs',
    definition: 'Compiled programs, matched by name and content.',
    formula: '',
    unit: '',
  },
  'compare.environment': {
    title: 'Environment',
    definition: 'Versions, chips, flags, options and manifests that differ.',
    formula: '',
    unit: '',
  },
  change: {
    title: 'What changed',
    definition: 'What differs of the op itself, such as its shape, layout or fused content.',
    formula: '',
    unit: '',
  },
};
