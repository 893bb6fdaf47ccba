/** What the figures of a roofline mean. */
import { SHARE, TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  intensity: {
    title: 'Operational intensity',
    definition:
      'Floating point operations per byte, of all bytes or of the memory chosen above the chart.',
    formula: 'flops ÷ bytes',
    unit: 'FLOP per byte',
  },
  compute_ratio: {
    title: 'Of compute',
    definition: 'Achieved rate against the peak of compute.',
    formula: 'flop rate ÷ peak',
    unit: SHARE,
  },
  optimal_flop_rate: {
    title: 'At the roof',
    definition: 'The rate it would have if what bounds it ran at its peak.',
    formula: 'flop rate ÷ share of the roof',
    unit: 'FLOP per second',
  },
  ridge_intensity: {
    title: 'Ridge',
    definition: 'Left of this intensity the memory bounds, right of it compute.',
    formula: 'peak of compute ÷ peak of the memory',
    unit: 'FLOP per byte',
  },
  'roofline.scope': {
    title: 'Over',
    definition:
      'The whole selection, a program, the mean step, or a step. A step leads to its time on the timeline.',
    formula: '',
    unit: '',
  },
  'roofline.time': {
    title: 'Time',
    definition:
      'What rates are over, summed over devices: elapsed time of steps and the total, self time of the ops of a program.',
    formula: '',
    unit: TIME,
  },
  'roofline.chip': { title: 'Chip', definition: 'Hardware model.', formula: '', unit: '' },
  'roofline.level': {
    title: 'Peak of',
    definition: 'Compute, or a memory of the chip.',
    formula: '',
    unit: '',
  },
  'roofline.per_second': {
    title: 'Per second',
    definition: 'Operations or bytes.',
    formula: '',
    unit: 'FLOP or bytes per second',
  },
  'roofline.devices': {
    title: 'Devices',
    definition: 'Selected devices of this model.',
    formula: '',
    unit: '',
  },
  'roofline.source': {
    title: 'From',
    definition: 'Where the peak comes from, or why it is unknown.',
    formula: '',
    unit: '',
  },
};
