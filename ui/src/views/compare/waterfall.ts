/** The bars of the waterfall, from the baseline's step to the session's, one per cause. Pure. */
import { clamped, linear } from '../../widgets/chart/scale';
import type { Evidence } from '../../wire/generated/Evidence';
import type { WaterfallBar } from '../../wire/generated/WaterfallBar';

export interface Fall {
  /** The cause; null for totals and for the sum of smaller causes. */
  bar: WaterfallBar | null;
  /** Its evidence; null for totals. */
  evidence: Evidence | null;
  title: string;
  /** Ends of the bar in picoseconds; totals start at 0. */
  fromPs: number;
  toPs: number;
  valuePs: number;
}

export interface Waterfall {
  falls: Fall[];
  /** The end of the axis, which starts at 0. */
  highPs: number;
  /** Where the axis goes on after a break, if the changes would be too small on a whole one. */
  breakPs: number | null;
}

/** Further bars are summed in one bar before the total. */
const MOST_BARS = 14;
/** Margin at both ends of the changes, as a share of their width. */
const AIR = 0.06;
/** The axis is whole if the changes take at least this share of it. */
const LEAST_SPAN = 0.3;
/** The part of the width before the break. */
export const BREAK_SHARE = 0.12;

export function waterfallOf(
  bars: readonly WaterfallBar[],
  baselinePs: number,
  sessionPs: number,
  titles: readonly [string, string],
): Waterfall {
  const falls: Fall[] = [
    { bar: null, evidence: null, title: titles[0], fromPs: 0, toPs: baselinePs, valuePs: baselinePs },
  ];
  let at = baselinePs;
  const add = (
    bar: WaterfallBar | null,
    title: string,
    valuePs: number,
    evidence: Evidence | null,
  ) => {
    falls.push({ bar, evidence, title, fromPs: at, toPs: at + valuePs, valuePs });
    at += valuePs;
  };
  for (const bar of bars.slice(0, MOST_BARS)) {
    add(bar, bar.title, bar.difference_ps, bar.evidence);
  }
  const rest = bars.slice(MOST_BARS);
  if (rest.length > 0) {
    const sum = rest.reduce((total, bar) => total + bar.difference_ps, 0);
    const isProven = rest.some((bar) => bar.evidence === 'beyond_noise');
    add(null, `${rest.length} smaller causes`, sum, isProven ? 'beyond_noise' : 'within_noise');
  }
  const end = { fromPs: 0, toPs: sessionPs, valuePs: sessionPs };
  falls.push({ bar: null, evidence: null, title: titles[1], ...end });
  const ends = [
    baselinePs,
    sessionPs,
    ...falls.slice(1, -1).flatMap((fall) => [fall.fromPs, fall.toPs]),
  ];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  if (most - least >= LEAST_SPAN * most) return { falls, highPs: most * (1 + AIR), breakPs: null };
  // Tiny changes do not look large: what is shown of the axis is at least 1 % of the step.
  const span = Math.max(most - least, baselinePs * 0.01, 1);
  const middle = (least + most) / 2;
  const half = span * (0.5 + AIR);
  return { falls, highPs: middle + half, breakPs: middle - half };
}

/** A time as a share of the width, 0..1. */
export function shareOf({ highPs, breakPs }: Waterfall, ps: number): number {
  if (highPs <= 0) return 0;
  if (breakPs === null) return clamped(linear(0, highPs).share(ps));
  if (ps <= 0) return 0;
  return BREAK_SHARE + (1 - BREAK_SHARE) * clamped(linear(breakPs, highPs).share(ps));
}

/** The view that shows more about a kind of cause. */
export function viewOf(bar: WaterfallBar): string | null {
  switch (bar.kind) {
    case 'input_wait':
      return 'input';
    case 'compilation':
    case 'outlier_compilation':
      return 'compile';
    case 'host_overhead':
    case 'idle':
      return 'idle';
    case 'outlier_steps':
      return 'steps';
    case 'overlap':
    case 'other_ops':
      return bar.part === 'collectives' ? 'collectives' : 'timeline';
    default:
      return null;
  }
}
