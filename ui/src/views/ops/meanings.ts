/** What the figures of an op mean. */
import { TIME, SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  name: {
    title: 'Op',
    definition: 'Name of the HLO instruction, or of the kernel where no op is known.',
    formula: '',
    unit: '',
  },
  program: {
    title: 'Program',
    definition: 'The compiled executable the op belongs to, with its id.',
    formula: '',
    unit: '',
  },
  category: {
    title: 'Category',
    definition: 'HLO category as XLA names it.',
    formula: '',
    unit: '',
  },
  class: {
    title: 'Class',
    definition: 'What kind of work it is; decides the colour, the same in every view.',
    formula: '',
    unit: '',
  },
  occurrences: {
    title: 'Count',
    definition: 'How often it ran, over the selected devices and steps.',
    formula: '',
    unit: '',
  },
  total_ps: {
    title: 'Total',
    definition: 'Time from start to end, summed; what runs nested inside is included.',
    formula: 'Σ duration',
    unit: TIME,
  },
  self_ps: {
    title: 'Self',
    definition: 'Time in the op itself, without what runs nested inside it, summed.',
    formula: 'Σ (duration − nested children)',
    unit: TIME,
  },
  self_ratio: {
    title: 'Self share',
    definition: 'Share of the self time of all selected ops.',
    formula: 'self ÷ Σ self',
    unit: SHARE,
  },
  flops: {
    title: 'FLOP',
    definition: 'Floating point operations of one execution, recorded or computed from the HLO.',
    formula: '',
    unit: 'floating point operations',
  },
  bytes: {
    title: 'Bytes',
    definition: 'Bytes one execution reads and writes, recorded or computed from the HLO.',
    formula: '',
    unit: 'bytes',
  },
  flop_rate: {
    title: 'FLOP rate',
    definition: 'Achieved rate of floating point operations.',
    formula: 'flops × count ÷ total',
    unit: 'FLOP per second',
  },
  bandwidth: {
    title: 'Bandwidth',
    definition: 'Achieved rate of memory traffic.',
    formula: 'bytes × count ÷ total',
    unit: 'bytes per second',
  },
  bound_by: {
    title: 'Bound',
    definition:
      'Which roof limits the op: compute or memory. Empty when the peaks of the chip or the work of the op are unknown.',
    formula: '',
    unit: '',
  },
  roofline_ratio: {
    title: 'Of roof',
    definition: 'How close the op comes to the roof that limits it.',
    formula: 'max(FLOP rate ÷ peak, bandwidth ÷ peak)',
    unit: SHARE,
  },
  cost_source: {
    title: 'Work from',
    definition:
      'Where FLOP and bytes came from: recorded in the profile, computed from the HLO or from the shapes of a known call, or estimated by the author of the kernel.',
    formula: '',
    unit: '',
  },
  attribution: {
    title: 'Op from',
    definition:
      'How the slices were joined with the op: recorded in the profile, or inferred from the kernel’s name, its neighbours or its order.',
    formula: '',
    unit: '',
  },
  scope: {
    title: 'Scope',
    definition: 'JAX name stack: the transformations and named scopes the op was traced in.',
    formula: '',
    unit: '',
  },
  source: {
    title: 'Source',
    definition: 'File and line of the program that the op comes from.',
    formula: '',
    unit: '',
  },
  device: { title: 'Device', definition: 'What JAX calls a device.', formula: '', unit: '' },
  attributed_ratio: {
    title: 'Attributed',
    definition:
      'Share of device work time whose op (or scope, or source line) is known. The rest is listed under its own name.',
    formula: 'attributed time ÷ work time',
    unit: SHARE,
  },
};
