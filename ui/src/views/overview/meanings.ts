/** What the figures of the whole session mean. */
import { TIME, SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  device_busy_ratio: {
    title: 'Device busy',
    definition:
      'Share of the observed window in which the device ran at least one op or kernel; the mean over devices.',
    formula: 'union of work intervals ÷ window',
    unit: SHARE,
  },
  window_ps: {
    title: 'Window',
    definition:
      'What the busy share refers to: the selected steps, or first to last work of any device.',
    formula: '',
    unit: TIME,
  },
};
