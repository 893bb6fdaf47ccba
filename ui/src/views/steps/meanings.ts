/** What the figures of a step mean. */
import { SHARE, TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  step_busy_ratio: {
    title: 'Busy share',
    definition: 'Share of the step in which the device worked.',
    formula: 'busy ÷ duration',
    unit: SHARE,
  },
  step_parts: {
    title: 'Parts of a step',
    definition: 'Every instant of a step belongs to exactly one part: where several apply, the first in the list wins. So parts never overlap and sum to the step.',
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
};
