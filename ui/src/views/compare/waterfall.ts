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
  /** Ends of the axis. It does not start at 0, because differences are small compared with a step. */
  lowPs: number;
  highPs: number;
}

/** Further bars are summed in one bar before the total. */
const MOST_BARS = 14;
/** Margin at both ends, as a share of the width. */
const AIR = 0.06;

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
  // The axis spans at least 1 % of the step, so that tiny differences do not look large.
  const span = Math.max(most - least, baselinePs * 0.01, 1);
  const middle = (least + most) / 2;
  const half = span * (0.5 + AIR);
  return { falls, lowPs: Math.max(0, middle - half), highPs: middle + half };
}

/** A time as a share of the width, 0..1. */
export const shareOf = ({ lowPs, highPs }: Waterfall, ps: number) =>
  highPs > lowPs ? clamped(linear(lowPs, highPs).share(ps)) : 0;

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
