/** What the figures of waiting for input mean. */
import { SHARE, TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  input_ps: {
    title: 'Input',
    definition: 'Time in which the device has nothing to do because its data is not there.',
    formula: 'waiting + copies in',
    unit: TIME,
  },
  input_ratio: {
    title: 'Of step',
    definition: 'Share of the step that input takes.',
    formula: 'input ÷ step time',
    unit: SHARE,
  },
  waiting_ps: {
    title: 'Waiting',
    definition:
      'The device is idle, nothing is compiled, and a thread that drives it loads or waits for input.',
    formula: '',
    unit: TIME,
  },
  copies_ps: {
    title: 'Copies in',
    definition:
      'Copies to the device that nothing hides, and the host’s transfers while the device is idle.',
    formula: '',
    unit: TIME,
  },
  loading_ps: {
    title: 'Loading',
    definition: 'A thread that drives the device loads, whether the device waits or not.',
    formula: '',
    unit: TIME,
  },
  'input.cause': {
    title: 'Causes of waiting',
    definition:
      'What loading does, the first of: copies to the device, reads files, preprocesses, feeds the infeed, prefetches, waits for the iterator, anything else.',
    formula: '',
    unit: TIME,
  },
  'input.stage': {
    title: 'Stage',
    definition:
      'A stage of tf.data, a frame of a loader, or an annotation that says it loads. The slowest is the one with most self time among those that do work.',
    formula: '',
    unit: '',
  },
  'stage.self_ps': {
    title: 'Self',
    definition: 'Time of the stage without the stages that it feeds on.',
    formula: 'duration − stages that run within',
    unit: TIME,
  },
  'stage.total_ps': {
    title: 'Total',
    definition: 'Time of the stage with the stages that it feeds on.',
    formula: '',
    unit: TIME,
  },
  background_ps: {
    title: 'Background',
    definition: 'Self time on threads that do not drive devices: it delays no step by itself.',
    formula: '',
    unit: TIME,
  },
};
