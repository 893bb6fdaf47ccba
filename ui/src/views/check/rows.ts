/** Budgets as bars with limits. Pure. */
import type { CheckedBudget } from '../../wire/generated/CheckedBudget';
import type { CheckVerdict } from '../../wire/generated/CheckVerdict';

export const WORDS: Record<CheckVerdict, string> = {
  passed: 'passed',
  within_noise: 'within noise',
  unknown: 'unknown',
  broken: 'broken',
};

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
