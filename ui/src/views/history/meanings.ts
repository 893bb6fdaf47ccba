/** What the figures of history mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  change: {
    title: 'Change point',
    definition: 'The first run at a new level: where the runs before and after differ most, tested against random orders of the same runs. For counts and bytes that were constant, every change counts.',
    formula: '',
    unit: '',
  },
  runs: {
    title: 'Runs',
    definition: 'Sessions analyzed now, or the runs that `check --history` recorded, oldest on the left. The scale runs from the smallest to the largest value, not from 0.',
    formula: '',
    unit: '',
  },
};
