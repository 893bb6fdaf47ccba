/** Formats figures of budgets and histories in the unit that the report names. Pure. */
import type { FigureUnit } from '../wire/generated/FigureUnit';
import { format, type Kind } from './numbers';

const KINDS: Record<FigureUnit, Kind> = {
  picos: 'duration',
  bytes: 'bytes',
  count: 'count',
  ratio: 'ratio',
};

/** What a unit measures. */
export const kindOf = (unit: FigureUnit): Kind => KINDS[unit];

/** A figure in its unit. */
export const formatFigure = (unit: FigureUnit, value: number | null) => format(KINDS[unit], value);
