/** What the figures of an instruction mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'graph.self_ps': {
    title: 'Self',
    definition:
      'Time of the op without what is nested in it, summed over the selected devices and steps. Instructions within fusions run as part of the fusion and have none of their own.',
    formula: '',
    unit: TIME,
  },
  'graph.flops': {
    title: 'Work',
    definition: 'Floating point operations of one execution, recorded or computed from the HLO.',
    formula: '',
    unit: 'operations',
  },
  'graph.bytes': {
    title: 'Bytes moved',
    definition: 'Bytes read and written by one execution, recorded or computed from the HLO.',
    formula: '',
    unit: 'bytes',
  },
  output_bytes: {
    title: 'Value',
    definition: 'Bytes of the value it computes, with the padding of its layout.',
    formula: '',
    unit: 'bytes',
  },
  radius: {
    title: 'Radius',
    definition: 'Steps from the op over operands and users, within its computation.',
    formula: '',
    unit: '',
  },
};
