/** What the figures of counters mean. */
import { SHARE, type Figure } from '../../widgets/figure';

const UNIT = "the counter's";

export const MEANINGS: Record<string, Figure> = {
  'counters.name': {
    title: 'Counter',
    definition: 'Name as recorded; a register without a name is shown by its number.',
    formula: '',
    unit: '',
  },
  'counters.unit': {
    title: 'Unit',
    definition: "What values are measured in, where the counter's name or description says it.",
    formula: '',
    unit: '',
  },
  'counters.sample_count': {
    title: 'Samples',
    definition: 'Values in the selection.',
    formula: '',
    unit: '',
  },
  'counters.min': { title: 'Least', definition: 'Smallest sample.', formula: '', unit: UNIT },
  'counters.mean': {
    title: 'Mean',
    definition: 'Mean of the samples, each counting the same.',
    formula: 'Σ values ÷ samples',
    unit: UNIT,
  },
  'counters.max': {
    title: 'Most',
    definition: 'Largest sample; leads to its time on the timeline.',
    formula: '',
    unit: UNIT,
  },
  'counters.last': { title: 'Last', definition: 'Latest sample.', formula: '', unit: UNIT },
  'counters.line': {
    title: 'Line',
    definition: 'Where it was recorded, such as the kernel it was measured around.',
    formula: '',
    unit: '',
  },
  'counters.register': {
    title: 'Register',
    definition: "Number of the hardware's register.",
    formula: '',
    unit: '',
  },
  'counters.description': {
    title: 'Description',
    definition: "What it counts, in the recorder's words.",
    formula: '',
    unit: '',
  },
  'utilisation.name': {
    title: 'Use of',
    definition: 'What the registers count.',
    formula: '',
    unit: '',
  },
  'utilisation.unit': {
    title: 'Unit',
    definition: 'The part of the chip.',
    formula: '',
    unit: '',
  },
  'utilisation.ratio': {
    title: 'Use',
    definition: 'Counted against the most that could have been in the time of the sample.',
    formula: 'counted ÷ at most',
    unit: SHARE,
  },
  'utilisation.achieved': {
    title: 'Counted',
    definition: 'Sum of registers.',
    formula: '',
    unit: '',
  },
  'utilisation.peak': {
    title: 'At most',
    definition: 'Cycles of the unit times what it can do in one, or a peak rate times the time.',
    formula: '',
    unit: '',
  },
  'utilisation.source': {
    title: 'Limit from',
    definition: 'What the limit is made of.',
    formula: '',
    unit: '',
  },
};
