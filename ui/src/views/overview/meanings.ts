/** What the figures of the whole session mean. */
import { SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  device_busy_ratio: {
    title: 'Device busy',
    definition: 'Share of the observed window in which the device ran at least one op or kernel; the mean over devices.',
    formula: 'union of work intervals ÷ window',
    unit: SHARE,
  },
};
