/** The definition of a figure. */

export interface Figure {
  title: string;
  definition: string;
  /** How it is computed; empty if it is shown as recorded. */
  formula: string;
  /** Empty for texts. */
  unit: string;
}

/** Defines a figure; without a formula, it is shown as recorded. */
export const figure = (title: string, definition: string, formula = '', unit = ''): Figure => ({
  title,
  definition,
  formula,
  unit,
});

/** The unit of times. */
export const TIME = 'time; recorded in picoseconds';
/** The unit of shares. */
export const SHARE = 'percent';
