/** The headline in words: where a step goes, and how steps develop. Pure. */
import { formatRatio } from '../../format/numbers';
import type { StepPart } from '../../wire/generated/StepPart';
import type { Verdict } from '../../wire/generated/Verdict';

/** What devices do in each part, after "Devices spend 40 % of a step …". */
const DOING: Record<StepPart['part'], string> = {
  device_compute: 'computing',
  collectives: 'communicating',
  host_to_device: 'copying',
  device_to_host: 'copying',
  device_to_device: 'copying',
  python_callbacks: 'in Python callbacks',
  input_wait: 'waiting for input',
  compilation: 'waiting for compilation',
  host_overhead: 'waiting for the host',
  idle: 'idle without a recorded cause',
};

const COMPUTING = DOING.device_compute;

/** Smaller shares are left to the bar. */
const LEAST_RATIO = 0.05;

interface Share {
  doing: string;
  ratio: number;
}

/** Shares by what devices do, largest first; the three kinds of copies are one. */
export function sharesOf(parts: readonly Pick<StepPart, 'part' | 'ratio'>[]): Share[] {
  const sums = new Map<string, number>();
  for (const { part, ratio } of parts) {
    sums.set(DOING[part], (sums.get(DOING[part]) ?? 0) + ratio);
  }
  return [...sums]
    .map(([doing, ratio]) => ({ doing, ratio }))
    .sort((one, other) => other.ratio - one.ratio);
}

/** `Devices spend 73.9 % of a step communicating and 20.2 % waiting for input; they compute for 2.3 %.` */
export function sentenceOf(shares: readonly Share[], whole: string): string {
  const [first, ...rest] = shares.filter(({ ratio }) => ratio >= LEAST_RATIO);
  if (!first) return '';
  const second = rest.find(({ doing }) => doing !== COMPUTING);
  const computing = shares.find(({ doing }) => doing === COMPUTING);
  const tail = second ? ` and ${formatRatio(second.ratio)} ${second.doing}` : '';
  const compute =
    first === computing ? '' : `; they compute for ${formatRatio(computing?.ratio ?? 0)}`;
  return `Devices spend ${formatRatio(first.ratio)} of ${whole} ${first.doing}${tail}${compute}.`;
}

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

/** Fewer steps have no trend. */
const LEAST_STEPS = 6;
/** Smaller changes are steady. */
const STEADY_RATIO = 0.03;

/** How the last third of the steps compares with the first, by medians; empty with few steps. */
export function trendOf(durations: readonly number[]): string {
  if (durations.length < LEAST_STEPS) return '';
  const third = Math.floor(durations.length / 3);
  const first = median(durations.slice(0, third));
  const last = median(durations.slice(-third));
  const change = first > 0 ? last / first - 1 : 0;
  if (Math.abs(change) < STEADY_RATIO) return 'steady';
  const direction = change > 0 ? 'slower' : 'faster';
  return `last third ${formatRatio(Math.abs(change))} ${direction} than the first`;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0];
  return (low + high) / 2;
}
