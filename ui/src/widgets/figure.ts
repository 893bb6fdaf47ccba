/** A figure in words. */

export interface Figure {
  title: string;
  definition: string;
  /** How it is computed; empty when it is recorded as it stands. */
  formula: string;
  /** Empty for texts. */
  unit: string;
}

/** A figure, recorded as it stands unless a formula is given. */
export const figure = (title: string, definition: string, formula = '', unit = ''): Figure => ({
  title,
  definition,
  formula,
  unit,
});

/** The unit of times. */
export const TIME = 'time; recorded in picoseconds';
/** The unit of shares. */
export const SHARE = 'per cent';
