/** What the figures beside the tracks mean. */
import { figure, SHARE, TIME } from '../../widgets/figure';

export const MEANINGS = {
  'nesting.total': figure(
    'Total',
    'Time of all slices with this name within the selected one. Slices within one of the same name, as in recursion, are not added again.',
    'Σ duration',
    TIME,
  ),
  'nesting.share': figure(
    'Share',
    'The part of the selected slice that this name takes.',
    'total ÷ duration of the selected slice',
    SHARE,
  ),
  'nesting.self': figure(
    'Self',
    'Time of these slices without those nested in them.',
    'Σ (duration − nested slices)',
    TIME,
  ),
  'participants.offset': figure(
    'Arrives',
    'When the device began the collective, relative to the last one that did, on aligned clocks.',
    'own arrival − last arrival',
    TIME,
  ),
  'participants.wait': figure(
    'Waits',
    'Time for which the device waited for the last participant.',
    'last arrival − own arrival',
    TIME,
  ),
  'participants.transfer': figure(
    'Transfers',
    'The rest of the collective on this device, after the last participant had arrived.',
    'own end − last arrival',
    TIME,
  ),
  'area.total': figure(
    'Total',
    'Time of these slices within the area: parts outside are left out.',
    'Σ duration within the area',
    TIME,
  ),
  'area.self': figure(
    'Self',
    'Time of these slices within the area, without those nested in them on the same track.',
    'Σ (duration − nested slices) within the area',
    TIME,
  ),
  'area.share': figure(
    'Area share',
    'Total ÷ length of the area. Above 100 % where slices overlap on several tracks or levels.',
    'total ÷ length of the area',
    SHARE,
  ),
  'area.whole': figure(
    'Statistics of whole slices',
    'Of the whole durations of all slices that overlap the area, also of those cut by its borders, so that they are the same wherever the area ends.',
    '',
    TIME,
  ),
  'area.count': figure(
    'Count',
    'Slices that overlap the area, also those cut by its borders.',
  ),
  'counters.first': figure(
    'First',
    'The value when the area begins: that of the last sample before it, or the first one within.',
  ),
  'counters.last': figure('Last', 'The value when the area ends.'),
  'counters.mean': figure(
    'Mean',
    'Each value weighted by the time for which it holds: from its sample to the next one or to the border of the area.',
    'Σ value · time ÷ Σ time',
  ),
  'counters.samples': figure('Samples', 'Number of samples within the area.'),
};
