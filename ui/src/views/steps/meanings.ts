/** What the figures of a step mean. */
import { TIME, type Figure } from '../../widgets/figure';
import { WORDS } from '../../wire/generated/words';

export const MEANINGS: Record<string, Figure> = {
  step_parts: {
    title: 'Parts of a step',
    definition: 'Every instant of a step belongs to exactly one part: where several apply, the first in the list wins. So parts never overlap, and they sum to the step.',
    formula: 'Σ parts = duration',
    unit: TIME,
  },
  ...Object.fromEntries(
    WORDS.parts.map(({ key, title, meaning }) => [
      key,
      { title, definition: meaning, formula: '', unit: TIME },
    ]),
  ),
};
