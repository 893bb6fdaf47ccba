/**
 * What every figure means: title, definition, formula, unit. One dictionary for all views, made of
 * each view's `meanings.ts`; keys are those of the reports, with `view.` in front where one key has
 * two meanings.
 */
import type { Figure } from './figure';

const modules = import.meta.glob<{ MEANINGS: Record<string, Figure> }>('../views/*/meanings.ts', {
  eager: true,
});

const FIGURES: Record<string, Figure> = Object.assign(
  {},
  ...Object.values(modules).map((module) => module.MEANINGS),
);

/** The figure of a key; `view.key` falls back to `key`. */
export function figureOf(key: string): Figure | undefined {
  return FIGURES[key] ?? FIGURES[key.slice(key.indexOf('.') + 1)];
}
