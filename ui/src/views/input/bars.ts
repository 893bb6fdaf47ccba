/** Input wait per step and per host, from the rows of steps on devices. Pure; linear in the rows. */
import { INPUT_CAUSES } from '../../format/causes';
import type { InputRow } from '../../wire/generated/InputRow';
import type { StepBar } from '../../wire/generated/StepBar';

/** Times of a row in the order of `INPUT_CAUSES`: copies last. */
export const partsOf = (row: InputRow): number[] => [...row.causes_ps, row.copies_ps];

/** One bar per step: the mean input wait of its devices, in the order in which the steps started. */
export function barsOf(rows: readonly InputRow[]): StepBar[] {
  return [...groupBy(rows, (row) => row.step)]
    .map(([step, own]) => ({
      step,
      start_ps: own.reduce((first, row) => Math.min(first, row.start_ps), Infinity),
      duration_ps: own.reduce((sum, row) => sum + row.input_ps, 0) / own.length,
      parts_ps: meansOf(own),
      is_outlier: false,
    }))
    .sort((one, other) => one.start_ps - other.start_ps);
}

/** The mean times of each host's rows. */
export function hostMeans(rows: readonly InputRow[]): Map<string, number[]> {
  const groups = groupBy(rows, (row) => row.host);
  return new Map([...groups].map(([host, own]) => [host, meansOf(own)]));
}

function groupBy<Key>(
  rows: readonly InputRow[],
  keyOf: (row: InputRow) => Key,
): Map<Key, InputRow[]> {
  const groups = new Map<Key, InputRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const own = groups.get(key);
    if (own) own.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

function meansOf(rows: readonly InputRow[]): number[] {
  const sums = INPUT_CAUSES.map(() => 0);
  for (const row of rows) {
    partsOf(row).forEach((value, index) => (sums[index] = (sums[index] ?? 0) + value));
  }
  return sums.map((sum) => sum / Math.max(1, rows.length));
}
