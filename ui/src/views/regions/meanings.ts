/** What the figures of regions mean. */
import { SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  device_ratio: {
    title: 'Launches found',
    definition: 'Share of the device time whose launch was found on a thread with regions.',
    formula: '',
    unit: SHARE,
  },
};
