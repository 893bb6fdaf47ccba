/** A figure compared with the baseline's: difference, ratio, and whether it is better. Pure. */
import type { Evidence } from '../wire/generated/Evidence';
import type { TimeDifference } from '../wire/generated/TimeDifference';
import { columnScale, format, type Kind, type Scale } from '../format/numbers';

/** Which direction is better; `neither` if it depends. */
export type Better = 'less' | 'more' | 'neither';

/** How a change is colored. Noise and unchanged figures are gray. */
export type Tone = 'better' | 'worse' | 'neutral' | 'noise' | 'same';

export interface Change {
  now: number | null;
  before: number | null;
  /** Now − before; absent where either is missing. */
  difference: number;
  /** Difference ÷ before; absent where that is 0, and for shares. */
  ratio: number | null;
  tone: Tone;
}

/** Changes below this ratio are shown as unchanged. */
const SAME_RATIO = 0.0005;

/**
 * How figures add up: over steps, so that they are scaled to the same number of steps; only over
 * rows, such as memory; or not at all, such as means. If a row is missing, a sum counts as 0.
 */
export type Adding = 'over_steps' | 'over_rows' | 'no';

/** What a column measures: declared by the report, or by the page for its own columns. */
export interface Measured {
  key: string;
  kind?: Kind;
  better?: Better | 'incomparable';
  adds?: Adding;
}

export function isComparable(column: Measured): boolean {
  return column.kind !== undefined && column.better !== 'incomparable';
}

export function addingOf(column: Measured): Adding {
  return column.adds ?? 'no';
}

export function betterOf(column: Measured): Better {
  return column.better === undefined || column.better === 'incomparable'
    ? 'neither'
    : column.better;
}

/** How to judge a change in time: better or worse unless the evidence says that it may be noise. */
export function byEvidence(evidence: Evidence | undefined) {
  return {
    kind: 'duration',
    better: evidence === undefined || evidence === 'beyond_noise' ? 'less' : 'neither',
    isNoise: evidence === 'within_noise',
  } as const;
}

/**
 * The change of a time between two sessions, as the engine defines it: mean over typical steps. The one
 * function for step times on every page; null if either session has no steps.
 */
export function changeOfTime(time: TimeDifference | null | undefined): Change | null {
  return time ? changeOf(time.mean_ps, time.baseline_ps, byEvidence(time.evidence)) : null;
}

/** What the change of a step time compares, in one sentence. */
export const STEP_CHANGE_MEANING =
  'Mean of the typical steps, without outliers, compared with that of the baseline';

/** Null if either figure is missing. */
export function changeOf(
  now: number | null | undefined,
  before: number | null | undefined,
  options: { kind?: Kind; better: Better; isNoise?: boolean },
): Change | null {
  if (!isNumber(now) || !isNumber(before)) return null;
  const difference = now - before;
  const isShare = options.kind === 'ratio';
  const ratio = isShare || before === 0 ? null : difference / Math.abs(before);
  const isSame =
    difference === 0 ||
    (isShare ? Math.abs(difference) < SAME_RATIO : ratio !== null && Math.abs(ratio) < SAME_RATIO);
  const tone = isSame ? 'same' : toneOf(difference, options.better, options.isNoise ?? false);
  return { now, before, difference, ratio, tone };
}

export function toneOf(difference: number, better: Better, isNoise: boolean): Tone {
  if (isNoise) return 'noise';
  if (difference === 0) return 'same';
  if (better === 'neither') return 'neutral';
  return difference > 0 === (better === 'more') ? 'better' : 'worse';
}

/** `+12.3 %`, `−4.0 %`, `× 12`, as the engine's sentences; empty if there is no ratio. */
export function relativeText(ratio: number | null): string {
  if (ratio === null) return '';
  if (ratio >= 9.995) return `×\u202f${Math.round(ratio + 1).toLocaleString('en')}`;
  return `${signOf(ratio)}${Math.abs(ratio * 100).toFixed(1)}\u202f%`;
}

/** The difference with its sign, in the unit of a column. */
export function differenceText(change: Change, scale: Scale): string {
  if (change.tone === 'same') return '=';
  const text = scale.text(Math.abs(change.difference));
  return text.startsWith('<') ? '≈' : `${signOf(change.difference)}${text}`;
}

/** The difference with its sign and unit; ratios in percentage points. */
export function signedText(kind: Kind, difference: number): string {
  if (difference === 0) return format(kind, 0);
  if (kind === 'ratio') {
    return `${signOf(difference)}${Math.abs(difference * 100).toFixed(1)}\u202fpoints`;
  }
  return `${signOf(difference)}${format(kind, Math.abs(difference))}`;
}

/** The text of the tooltip, also for screen readers. */
export function changeTip(change: Change, kind: Kind, scaledBy = 1): string {
  const scale = columnScale(kind, [change.before, change.now]);
  const text = (value: number | null) => `${scale.text(value)}\u202f${scale.unit}`.trim();
  const words: Record<Tone, string> = {
    better: 'better',
    worse: 'worse',
    neutral: 'different',
    noise: 'within noise',
    same: 'unchanged',
  };
  const scaled =
    scaledBy === 1
      ? ''
      : `\nbaseline scaled by ${scaledBy.toPrecision(3)}: it ran a different number of steps`;
  return `baseline ${text(change.before)}, now ${text(change.now)}: ${words[change.tone]}${scaled}`;
}

/** −1 (half or less) to 1 (twice or more), for colors by difference. */
export function strengthOf(change: Change | null): number {
  if (!change || change.tone === 'same' || change.tone === 'noise') return 0;
  if (!change.before || change.before <= 0) return 1;
  if (!change.now || change.now <= 0) return -1;
  return Math.max(-1, Math.min(1, Math.log2(change.now / change.before)));
}

function signOf(value: number): string {
  return value < 0 ? '−' : '+';
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
