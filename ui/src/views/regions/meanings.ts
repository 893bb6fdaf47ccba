/** What the figures of regions mean. */
import { figure, SHARE, TIME, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'regions.name': figure(
    'Region',
    'An annotation of the program without its arguments, a function of Python, or an event of the runtime.',
  ),
  'regions.kind': figure(
    'Kind',
    'Who opened the region: the program by an annotation, Python by a call, or the runtime.',
  ),
  'regions.source': figure('Source', 'File and line of the function, or its module.'),
  'regions.count': figure('Count', 'Times the region began in the selection.'),
  'regions.total_ps': figure(
    'Total',
    'Time within the region. An occurrence within another of the same region counts once.',
    'Σ duration',
    TIME,
  ),
  'regions.self_ps': figure(
    'Self',
    'Time within the region and in no other region that is shown.',
    'Σ (duration − regions directly within)',
    TIME,
  ),
  'regions.ratio': figure(
    'Self share',
    'Share of the time that threads spent within regions.',
    'self ÷ time within regions',
    SHARE,
  ),
  'regions.mean_ps': figure('Mean', 'Mean duration of an occurrence.', 'Σ duration ÷ count', TIME),
  'regions.p95_ps': figure(
    'p95',
    '95 % of the occurrences are no longer. Of more than 256 to within 0.4 %.',
    'nearest rank',
    TIME,
  ),
  'regions.longest_ps': figure('Longest', 'Duration of the longest occurrence.', '', TIME),
  'regions.step_ps': figure(
    'Per step',
    'Time of the occurrences that begin within a step, per step of the hosts they do so on.',
    'Σ duration ÷ steps',
    TIME,
  ),
  'regions.step_count': figure(
    'Count per step',
    'Occurrences that begin within a step, per step of the hosts they do so on.',
    'occurrences ÷ steps',
    'count',
  ),
  'regions.device_ps': figure(
    'Device time',
    'Time of the kernels, copies and program runs that were launched within the region, over all devices, whenever they ran. Empty where launches are not known.',
    'Σ durations of kernels and copies on GPUs, busy time of program runs elsewhere',
    TIME,
  ),
  'regions.threads': figure('Thread', 'The thread, or how many the region ran on.'),
  'regions.device_ratio': figure(
    'Launches found',
    'Share of the device time whose launch was found on a thread with regions.',
    '',
    SHARE,
  ),
};
