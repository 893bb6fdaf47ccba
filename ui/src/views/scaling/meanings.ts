/** What the figures of scaling mean. */
import { figure, SHARE, TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'scaling.method': figure(
    'Method',
    'What differs in the names of sessions besides device count and time. --method REGEX picks it.',
  ),
  'scaling.device_count': figure('Devices', 'Devices that worked in typical steps.'),
  'scaling.step_ps': figure(
    'Step',
    'Mean over the samples of the mean of their typical steps, outliers set aside.',
    '',
    TIME,
  ),
  'scaling.speedup_ratio': figure(
    'Speed-up',
    'How many times as fast as on the least device count of the method.',
    'throughput ÷ throughput on the least count',
  ),
  'scaling.efficiency_ratio': figure(
    'Efficiency',
    'Share of perfect scaling that is reached.',
    'speed-up ÷ (device count ÷ least count)',
    SHARE,
  ),
  'scaling.throughput_per_second': figure(
    'Steps/s',
    'Steps per second; with weak scaling × device count, as each device brings work of its own.',
    '1 ÷ step',
  ),
  'scaling.examples_per_second': figure(
    'Examples/s',
    'Throughput × the batch that was given.',
    'batch × steps per second',
  ),
  'scaling.communication_ps': figure(
    'Communication',
    'Union of a device’s communication in a step, hidden or not, mean over devices.',
    '',
    TIME,
  ),
  'scaling.communication_ratio': figure('Comm. share', 'Communication ÷ step.', '', SHARE),
  'scaling.exposed_ps': figure(
    'Exposed',
    'Communication while the same device computes nothing.',
    '',
    TIME,
  ),
  'scaling.exposed_ratio': figure('Exposed share', 'Exposed communication ÷ step.', '', SHARE),
  'scaling.balance_ratio': figure(
    'Balance',
    'How evenly devices compute: 100 % is even.',
    'mean over devices of their computation ÷ that of the device with most',
    SHARE,
  ),
  'scaling.sample_count': figure('Samples', 'Sessions or benchmarks of this method and count.'),
  'scaling.cost_ps': figure(
    'Too much',
    'What a part of the step takes beyond perfect scaling when devices double once more, if it goes on as at the last doubling.',
    'part on twice as many devices − half of the part now; weak scaling: − the part now',
    TIME,
  ),
};
