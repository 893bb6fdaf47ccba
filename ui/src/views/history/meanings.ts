/** What the figures of history mean. */
import { type Figure } from '../../widgets/figure';

export const MEANINGS: Record<string, Figure> = {
  change: {
    title: 'Change point',
    definition: 'The first run at another level: where the runs before and after differ most, tested against random orders of the same runs. Counts and bytes that were constant change where they change.',
    formula: '',
    unit: '',
  },
  runs: {
    title: 'Runs',
    definition: 'Sessions measured now, or the lines that `check --history` wrote, oldest on the left. The scale runs from the least to the largest value, not from 0.',
    formula: '',
    unit: '',
  },
};
