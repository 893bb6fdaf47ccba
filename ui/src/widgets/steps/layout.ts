/** The bars of the step chart. Pure. */
import { alignSteps } from '../../compare/align';
import type { StepBar } from '../../wire/generated/StepBar';

/** One bar: a step, or several if there are more steps than pixels. */
export interface Bucket {
  first: number;
  last: number;
  count: number;
  startPs: number;
  /** Mean time of its steps. */
  durationPs: number;
  /** Time of its longest step. */
  maxPs: number;
  partsPs: number[];
  isOutlier: boolean;
}

/** Groups steps into at most `limit` bars, in order; all but the last have the same number of steps. */
export function bucketSteps(series: readonly StepBar[], limit: number): Bucket[] {
  const size = Math.max(1, Math.ceil(series.length / Math.max(1, limit)));
  const buckets: Bucket[] = [];
  for (let from = 0; from < series.length; from += size) {
    buckets.push(merge(series.slice(from, from + size)));
  }
  return buckets;
}

function merge(steps: readonly StepBar[]): Bucket {
  const [first, last] = [steps[0] as StepBar, steps[steps.length - 1] as StepBar];
  const mean = (value: (step: StepBar) => number) =>
    steps.reduce((sum, step) => sum + value(step), 0) / steps.length;
  return {
    first: first.step,
    last: last.step,
    count: steps.length,
    startPs: first.start_ps,
    durationPs: mean((step) => step.duration_ps),
    maxPs: Math.max(...steps.map((step) => step.duration_ps)),
    partsPs: first.parts_ps.map((_, part) => mean((step) => step.parts_ps[part] ?? 0)),
    isOutlier: steps.some((step) => step.is_outlier),
  };
}

/**
 * For each bar, the mean time of the same steps in the baseline; null if it has none of them.
 */
export function baselineOf(
  buckets: readonly Bucket[],
  series: readonly StepBar[],
  baseline: readonly StepBar[],
): (number | null)[] {
  const positions = alignSteps(series, baseline);
  let at = 0;
  return buckets.map((bucket) => {
    const own = positions.slice(at, at + bucket.count);
    at += bucket.count;
    const lengths = own.flatMap((position) => baseline[position]?.duration_ps ?? []);
    if (lengths.length === 0) return null;
    return lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  });
}

/**
 * Top of the axis. A few steps that are much longer than the rest (such as a first step with a
 * compilation) would flatten all others; they are cut off, and the chart labels them with their time.
 */
export function axisTop(buckets: readonly Bucket[]): number {
  const lengths = buckets.map((bucket) => bucket.durationPs).sort((one, other) => one - other);
  const longest = lengths[lengths.length - 1] ?? 0;
  if (lengths.length < 4) return longest;
  const usual = lengths[Math.floor((lengths.length - 1) * 0.75)] ?? longest;
  return longest > usual * 3.5 ? usual * 1.7 : longest;
}

/** The selection of steps from one bar to another, in the syntax of the command line. */
export function stepsBetween(one: Bucket, other: Bucket): string {
  const first = Math.min(one.first, other.first);
  const last = Math.max(one.last, other.last);
  return first === last ? String(first) : `${first}..=${last}`;
}

/** A predicate on step numbers from `3..8`, `5`, `1,4..=6`; null without a selection. */
export function stepTest(selection: string): ((step: number) => boolean) | null {
  if (!selection.trim()) return null;
  const ranges = selection.split(',').map((part): [number, number] => {
    const match = /^\s*(-?\d*)\s*(\.\.=?)?\s*(-?\d*)\s*$/.exec(part);
    if (!match) return [1, 0];
    const [, from = '', dots, to = ''] = match;
    if (!dots) return from === '' ? [1, 0] : [Number(from), Number(from)];
    const end = to === '' ? Infinity : Number(to) - (dots === '..' ? 1 : 0);
    return [from === '' ? -Infinity : Number(from), end];
  });
  return (step) => ranges.some(([from, to]) => from <= step && step <= to);
}
