/**
 * The vertical scale of a counter: linear or logarithmic, its own or that of all counters of the same
 * name. Pure.
 */
import { linearTicks } from '../widgets/chart/ticks';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TrackReport } from '../wire/generated/TrackReport';

/** What the reader chose for all counters of one name. */
export interface CounterChoice {
  isShared: boolean;
  isLog: boolean;
}

export const FIRST_COUNTER_CHOICE: CounterChoice = { isShared: false, isLog: false };

/** Choices by the name of counters. */
export type CounterChoices = ReadonlyMap<string, CounterChoice>;

export interface CounterScale {
  low: number;
  high: number;
  isLog: boolean;
  isShared: boolean;
}

/** A logarithmic scale of a counter that reaches 0 shows this many decades. */
const DECADES = 6;

/** The smallest and the largest sample of some counters; null without samples. */
function extentOf(tracks: readonly TrackReport[]): { min: number; max: number } | null {
  const known = tracks.filter(({ counter_max }) => counter_max !== null);
  if (known.length === 0) return null;
  return {
    min: Math.min(...known.map(({ counter_min, counter_max }) => counter_min ?? counter_max!)),
    max: Math.max(...known.map(({ counter_max }) => counter_max!)),
  };
}

/** All counters of a name. */
export function countersCalled(report: TimelineReport, name: string): TrackReport[] {
  const tracks = report.groups.flatMap((group) => group.tracks);
  return tracks.filter((track) => track.role === 'counter' && track.name === name);
}

/** Whether a logarithmic scale can show the counter: it has positive values and no negative ones. */
export function canBeLog({ counter_min, counter_max }: TrackReport): boolean {
  return (counter_max ?? 0) > 0 && (counter_min ?? 0) >= 0;
}

/** The scale of a counter. */
export function scaleOfCounter(
  report: TimelineReport,
  track: TrackReport,
  choices: CounterChoices,
): CounterScale {
  const { isShared, isLog } = choices.get(track.name) ?? FIRST_COUNTER_CHOICE;
  const tracks = isShared ? countersCalled(report, track.name) : [track];
  const extent = extentOf(tracks) ?? { min: 0, max: 0 };
  if (isLog && tracks.every(canBeLog)) {
    const high = 10 ** Math.ceil(Math.log10(extent.max) - 1e-9);
    const least = extent.min > 0 ? 10 ** Math.floor(Math.log10(extent.min) + 1e-9) : 0;
    const low = least > 0 ? Math.min(least, high / 10) : high / 10 ** DECADES;
    return { low, high, isLog: true, isShared };
  }
  const [low, high] = [Math.min(0, extent.min), Math.max(0, extent.max)];
  return { low, high: high > low ? high : low + 1, isLog: false, isShared };
}

/** Where a value is between the ends of the scale, 0 to 1. */
export function shareOf({ low, high, isLog }: CounterScale, value: number): number {
  const share = isLog
    ? value > 0
      ? Math.log(value / low) / Math.log(high / low)
      : 0
    : (value - low) / (high - low);
  return Math.min(1, Math.max(0, share));
}

/** Two to four round values to label. */
export function scaleTicks({ low, high, isLog }: CounterScale): number[] {
  if (!isLog) return linearTicks(low, high, 2);
  const decades = Math.round(Math.log10(high / low));
  const step = Math.max(1, Math.ceil(decades / 2));
  const ticks: number[] = [];
  for (let power = 0; power <= decades; power += step) ticks.push(low * 10 ** power);
  return ticks;
}

/** Changes the choice for the counters of a name. */
export function withCounter(
  choices: CounterChoices,
  name: string,
  changes: Partial<CounterChoice>,
): CounterChoices {
  const before = choices.get(name) ?? FIRST_COUNTER_CHOICE;
  return new Map(choices).set(name, { ...before, ...changes });
}

/** The choices as text: `12.log.shared;15.log`, by the first counter of each name. */
export function formatCounters(report: TimelineReport, choices: CounterChoices): string {
  const parts = [...choices].flatMap(([name, { isShared, isLog }]) => {
    const first = countersCalled(report, name)[0];
    if (!first || (!isShared && !isLog)) return [];
    return [[first.track, ...(isLog ? ['log'] : []), ...(isShared ? ['shared'] : [])].join('.')];
  });
  return parts.join(';');
}

/** The choices that a text names; counters that the session lacks are left out. */
export function parseCounters(report: TimelineReport, text: string): CounterChoices {
  const tracks = report.groups.flatMap((group) => group.tracks);
  const found = new Map<string, CounterChoice>();
  for (const part of text.split(';')) {
    const [number, ...words] = part.split('.');
    const track = tracks.find((each) => String(each.track) === number);
    if (track?.role !== 'counter') continue;
    found.set(track.name, { isLog: words.includes('log'), isShared: words.includes('shared') });
  }
  return found;
}
