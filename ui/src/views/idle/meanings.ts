/** What the figures of gaps mean. */
import { TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  gap_ps: {
    title: 'Gap',
    definition: 'A stretch of time in which the device ran no op, kernel or copy.',
    formula: '',
    unit: TIME,
  },
  idle_ps: {
    title: 'Idle',
    definition: 'All gaps within the window, short ones included.',
    formula: 'window − busy',
    unit: TIME,
  },
  'idle.cause': {
    title: 'Cause',
    definition:
      'What the threads that drive the device did meanwhile. An instant counts for the first cause in the order compilation, data loading, garbage collection, checkpoint, profiler, transfer, dispatch, sleep, Python, runtime, annotation, blocked; a gap has the cause with most of its time.',
    formula: '',
    unit: '',
  },
  cause_ps: {
    title: 'Of the cause',
    definition: 'How much of the gap its cause took.',
    formula: '',
    unit: TIME,
  },
  what: {
    title: 'What the host did',
    definition: 'The innermost call with at least half of the cause’s time in the gap.',
    formula: '',
    unit: '',
  },
  annotation: {
    title: 'Annotation',
    definition: 'The outermost annotation of the program around at least half of the gap.',
    formula: '',
    unit: '',
  },
  python: {
    title: 'Python',
    definition: 'The innermost frame of Python with at least half of the gap.',
    formula: '',
    unit: '',
  },
  buckets: {
    title: 'By length',
    definition: 'Listed gaps by length, in powers of ten.',
    formula: '',
    unit: TIME,
  },
};
