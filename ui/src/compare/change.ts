/** A figure held against the baseline's: difference, ratio, and whether that is good. Pure. */
import type { Evidence } from '../wire/generated/Evidence';
import { columnScale, format, type Kind, type Scale } from '../format/numbers';

/** Which way a figure gets better; `neither` when that depends. */
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

/** Changes below this share read as none. */
const SAME_RATIO = 0.0005;

/**
 * Whether figures add up: over the steps, so that they are scaled to as many steps; over rows
 * alone, as memory does; or not at all, as means. What adds up is 0 where a row is missing.
 */
export type Adding = 'over_steps' | 'over_rows' | 'no';

/** What a column has to say of itself: a report declares it, a column of the page's own says it. */
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

/** What may be said of a time by the evidence: better and worse only of what is more than noise. */
export function byEvidence(evidence: Evidence | undefined) {
  return {
    kind: 'duration',
    better: evidence === undefined || evidence === 'beyond_noise' ? 'less' : 'neither',
    isNoise: evidence === 'within_noise',
  } as const;
}

/** Null where there is nothing to compare. */
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

/** `+12.3 %`, `−4 %`, `× 12`; empty for nothing. */
export function relativeText(ratio: number | null): string {
  if (ratio === null) return '';
  if (ratio >= 9.995) return `×\u202f${Math.round(ratio + 1).toLocaleString('en')}`;
  const percent = Math.abs(ratio * 100);
  const text = percent.toFixed(percent < 9.95 ? 1 : 0);
  return `${signOf(ratio)}${text}\u202f%`;
}

/** The difference with its sign, in the unit of a column. */
export function differenceText(change: Change, scale: Scale): string {
  if (change.tone === 'same') return '=';
  const text = scale.text(Math.abs(change.difference));
  return text.startsWith('<') ? '≈' : `${signOf(change.difference)}${text}`;
}

/** The same with a unit of its own; shares in points. */
export function signedText(kind: Kind, difference: number): string {
  if (difference === 0) return format(kind, 0);
  if (kind === 'ratio') {
    return `${signOf(difference)}${Math.abs(difference * 100).toFixed(1)}\u202fpoints`;
  }
  return `${signOf(difference)}${format(kind, Math.abs(difference))}`;
}

/** What a screen reader and the tooltip say. */
export function changeTip(change: Change, kind: Kind, scaledBy = 1): string {
  const scale = columnScale(kind, [change.before, change.now]);
  const text = (value: number | null) => `${scale.text(value)}\u202f${scale.unit}`.trim();
  const words: Record<Tone, string> = {
    better: 'better',
    worse: 'worse',
    neutral: 'different',
    noise: 'within the noise of the steps',
    same: 'the same',
  };
  const scaled =
    scaledBy === 1
      ? ''
      : `\nbaseline scaled by ${scaledBy.toPrecision(3)}: it ran another number of steps`;
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
