/** What the figures of an op mean. */
import { SHARE, type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  attributed_ratio: {
    title: 'Attributed',
    definition: 'Share of device work time whose op (or scope, or source line) is known. The rest is listed under its own name.',
    formula: 'attributed time ÷ work time',
    unit: SHARE,
  },
};
