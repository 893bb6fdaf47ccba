/** What devices do without steps, and how steps develop, in words. Pure. */
import { formatRatio, plural } from '../../format/numbers';
import type { AdviceFinding } from '../../wire/generated/AdviceFinding';
import type { StepBar } from '../../wire/generated/StepBar';
import type { Verdict } from '../../wire/generated/Verdict';

/** Without steps: what devices do in the time observed. The shares of busy devices and idle sum to 1. */
export function occupationOf(verdicts: readonly Verdict[]): { title: string; ratio: number }[] {
  const valueOf = (key: string) => verdicts.find((verdict) => verdict.key === key)?.value ?? null;
  const busy = valueOf('device_busy_ratio');
  if (busy === null) return [];
  const communication = valueOf('communication_ratio') ?? 0;
  const copies = valueOf('copy_ratio') ?? 0;
  return [
    { title: 'Computing', ratio: Math.max(0, busy - communication - copies) },
    { title: 'Communicating', ratio: communication },
    { title: 'Copying', ratio: copies },
    { title: 'Idle', ratio: Math.max(0, 1 - busy) },
  ].filter(({ ratio }) => ratio > 0.0005);
}

/** Nothing to read: a cost that is zero, judged or not. */
export const isNothing = ({
  value,
  verdict,
  is_larger_better,
}: Pick<Verdict, 'value' | 'verdict' | 'is_larger_better'>): boolean =>
  value === 0 && (verdict === 'good' || (verdict === 'neutral' && !is_larger_better));

/**
 * The first finding in words. One about the capture names its remedy: what is wrong with the capture
 * stands above the headline.
 */
export function doFirst({
  id,
  title,
  what,
  fix,
}: Pick<AdviceFinding, 'id' | 'title' | 'what' | 'fix'>): { title: string; what: string } {
  if (id !== 'capture_quality' || !fix) return { title, what };
  return { title: title.replace(/^Capture: /, 'Record again: '), what: fix };
}

/** Fewer steps have no trend. */
const LEAST_STEPS = 6;
/** Smaller changes are steady. */
const STEADY_RATIO = 0.03;
/** Steps whose usual distance from the median is larger are not called steady. */
const VARYING_RATIO = 0.05;

/**
 * How the last third of the typical steps compares with the first, by medians, and how many steps are
 * outliers; empty with few steps. Changes within the usual distance of a step from the median are
 * no trend.
 */
export function trendOf(steps: readonly Pick<StepBar, 'duration_ps' | 'is_outlier'>[]): string {
  const typical = steps.filter((step) => !step.is_outlier).map((step) => step.duration_ps);
  const outliers = steps.length - typical.length;
  if (typical.length < LEAST_STEPS) return outliers > 0 ? plural(outliers, 'outlier') : '';
  const third = Math.floor(typical.length / 3);
  const first = median(typical.slice(0, third));
  const last = median(typical.slice(-third));
  const change = first > 0 ? last / first - 1 : 0;
  const middle = median(typical);
  const usual = median(typical.map((duration) => Math.abs(duration - middle))) / middle;
  const direction = change > 0 ? 'slower' : 'faster';
  const words =
    Math.abs(change) < Math.max(STEADY_RATIO, usual)
      ? usual < VARYING_RATIO
        ? 'steady'
        : 'no trend'
      : `last third ${formatRatio(Math.abs(change))} ${direction} than the first`;
  return outliers > 0 ? `${words}, ${plural(outliers, 'outlier')}` : words;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0];
  return (low + high) / 2;
}
