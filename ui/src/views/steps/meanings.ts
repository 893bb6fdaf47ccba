/** What the figures of a step mean. */
import { TIME, SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  step_time_ps: {
    title: 'Step time',
    definition:
      'Length of a step, over the selected steps; one value per step, the mean of its hosts and devices.',
    formula: 'mean = Σ duration ÷ steps',
    unit: TIME,
  },
  step: {
    title: 'Step',
    definition: 'Step number as recorded, or counted where steps are inferred.',
    formula: '',
    unit: '',
  },
  start_ps: {
    title: 'Start',
    definition: 'Time since the session began.',
    formula: '',
    unit: TIME,
  },
  duration_ps: {
    title: 'Duration',
    definition: 'Length of the step on this device. Its parts sum to it.',
    formula: 'duration = Σ parts',
    unit: TIME,
  },
  step_busy_ps: {
    title: 'Busy',
    definition: 'Time inside the step in which the device ran at least one op or kernel.',
    formula: 'length of the union of work intervals',
    unit: TIME,
  },
  step_busy_ratio: {
    title: 'Busy share',
    definition: 'Share of the step in which the device worked.',
    formula: 'busy ÷ duration',
    unit: SHARE,
  },
  is_outlier: {
    title: 'Outlier',
    definition:
      'The step is further from the median than 3.5 robust deviations and at least 5 % of it; or it is longer than twice the median, and the gap below it is wider than the range of all other steps.',
    formula: '0.6745 · |x − median| ÷ MAD > 3.5',
    unit: '',
  },
  step_parts: {
    title: 'Parts of a step',
    definition:
      'Every instant of a step belongs to exactly one part: where several apply, the first in the list wins. So parts never overlap and sum to the step.',
    formula: 'Σ parts = duration',
    unit: TIME,
  },
  device_compute: {
    title: 'Device compute',
    definition: 'A device runs an op or kernel that is neither communication nor a copy.',
    formula: '',
    unit: TIME,
  },
  collectives: {
    title: 'Collectives',
    definition: 'A device runs a collective and computes nothing meanwhile: exposed communication.',
    formula: '',
    unit: TIME,
  },
  host_to_device: {
    title: 'Host to device',
    definition: 'A host-to-device copy runs, and no compute or collective.',
    formula: '',
    unit: TIME,
  },
  device_to_host: {
    title: 'Device to host',
    definition: 'A device-to-host copy runs, and nothing listed before it.',
    formula: '',
    unit: TIME,
  },
  device_to_device: {
    title: 'Device to device',
    definition: 'A device-to-device copy runs, and nothing listed before it.',
    formula: '',
    unit: TIME,
  },
  python_callbacks: {
    title: 'Python callbacks',
    definition: 'The program calls Python on the host, and the device waits for it.',
    formula: '',
    unit: TIME,
  },
  input_wait: {
    title: 'Input wait',
    definition: 'The device is idle while the host waits for or prepares input.',
    formula: '',
    unit: TIME,
  },
  compilation: {
    title: 'Compilation',
    definition: 'The device is idle while the host compiles.',
    formula: '',
    unit: TIME,
  },
  host_overhead: {
    title: 'Host overhead',
    definition: 'The device is idle while the host does other recorded work.',
    formula: '',
    unit: TIME,
  },
  idle: {
    title: 'Idle',
    definition: 'Nothing was recorded on device or host.',
    formula: '',
    unit: TIME,
  },
  part_ratio: {
    title: 'Share of the step',
    definition: 'Share of the mean step.',
    formula: 'part ÷ mean step',
    unit: SHARE,
  },
};
