/** What the figures of check mean. */
import { figure, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  'check.verdict': figure(
    'Verdict',
    'Passed: the value keeps to the limit. Within noise: it does not, but its interval reaches back over it. Broken: neither does any end of the interval. Unknown: the figure or its baseline is missing.',
  ),
  'check.limit': figure(
    'Limit',
    'The baseline’s figure with the change that the budget allows, or the bound that it gives.',
  ),
  'check.baseline': figure('Baseline', 'Figure of the baseline.'),
  'check.value': figure(
    'Value',
    'Figure of this session; the line through it is its interval, noise within and between runs included.',
  ),
};
