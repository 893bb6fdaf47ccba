/** Budgets as bars with limits. Pure. */
import type { CheckedBudget } from '../../wire/generated/CheckedBudget';
import type { CheckVerdict } from '../../wire/generated/CheckVerdict';

export const WORDS: Record<CheckVerdict, string> = {
  passed: 'passed',
  within_noise: 'within noise',
  unknown: 'unknown',
  broken: 'broken',
};

/** Digits of a bound: more would be below the noise of any figure. */
const DIGITS = 4;

/** A number of few digits that is not below this one. */
function roundedUp(value: number): number {
  if (value === 0) return 0;
  const step = 10 ** (Math.floor(Math.log10(value)) + 1 - DIGITS);
  return Number((Math.ceil(value / step) * step).toPrecision(DIGITS));
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes in the unit that people read them in; a few bytes are exact. */
function writtenBytes(value: number): string {
  const power = value < 1 ? 0 : Math.floor(Math.log2(value) / 10);
  const unit = Math.min(power, BYTE_UNITS.length - 1);
  return `${unit === 0 ? Math.ceil(value) : roundedUp(value / 1024 ** unit)}${BYTE_UNITS[unit]}`;
}

/** A figure as budgets are written. */
function written({ unit, value }: CheckedBudget): string | null {
  if (value === null) return null;
  if (unit === 'picos') return `${roundedUp(value / 1e9)}ms`;
  if (unit === 'bytes') return writtenBytes(value);
  return unit === 'count' ? String(value) : null;
}

/**
 * Budgets that need no baseline: what this session has at most, for each that limits a change from an
 * earlier one. Empty if there are none.
 */
export function boundsOf(rows: readonly CheckedBudget[]): string {
  const bounds = rows.flatMap((row) => {
    const isChange = row.verdict === 'unknown' && row.budget.startsWith(`${row.metric}=+`);
    const limit = isChange && !row.is_better_higher ? written(row) : null;
    return limit === null ? [] : [`${row.metric}<=${limit}`];
  });
  return bounds.join(', ');
}

/** Positions on the bar of a budget, 0..1. */
export interface Places {
  value: number;
  limit: number;
  low: number;
  high: number;
}

/** Positions of value, limit and interval on a bar that ends 5 % beyond the largest of them. */
export function placesOf(row: CheckedBudget): Places | null {
  if (row.value === null || row.limit === null) return null;
  const known = [row.value, row.limit, row.high ?? 0].filter(Number.isFinite);
  const end = 1.05 * Math.max(...known);
  const place = (value: number) => (end > 0 ? Math.min(1, Math.max(0, value / end)) : 0);
  return {
    value: place(row.value),
    limit: place(row.limit),
    low: place(row.low ?? 0),
    high: place(row.high ?? end),
  };
}
