/**
 * How times read: since the session began, since the start of their step, or as the time of day. A
 * time in no step reads relative to the step before it; before the first step, to the first.
 */
import { formatTime } from '../format/numbers';
import type { TimelineStep } from '../wire/generated/TimelineStep';
import { stepIndexAt } from './step-index';
import { exactTime, digitsOf } from './time-axis';

export type ClockKind = 'session' | 'step' | 'wall';

export interface Clock {
  kind: ClockKind;
  /** The steps of one host or device, in time order. */
  steps: readonly TimelineStep[];
  /** Time 0 of the session in nanoseconds since the Unix epoch, if recorded. */
  epochNs: bigint | null;
}

/** A choice of the reader; with the reason if this session cannot have it. */
export interface ClockChoice {
  kind: ClockKind;
  title: string;
  /** Empty if it can be chosen. */
  missing: string;
}

/** The choices for a session. */
export function clockChoices(clock: Pick<Clock, 'steps' | 'epochNs'>): ClockChoice[] {
  return [
    { kind: 'session', title: 'since the start', missing: '' },
    {
      kind: 'step',
      title: 'within the step',
      missing: clock.steps.length > 0 ? '' : 'no steps recorded',
    },
    {
      kind: 'wall',
      title: 'time of day',
      missing: clock.epochNs === null ? 'start time not recorded' : '',
    },
  ];
}

/** The kind that a text names, if the session has it. */
export function clockKindOf(text: string, clock: Pick<Clock, 'steps' | 'epochNs'>): ClockKind {
  const choice = clockChoices(clock).find(({ kind }) => kind === text);
  return choice && !choice.missing ? choice.kind : 'session';
}

/** The start of a session as its report has it. */
export function epochOf(text: string | null): bigint | null {
  return text !== null && /^\d{1,20}$/.test(text) ? BigInt(text) : null;
}

/** The step whose start is time 0 at this time. */
export function stepOfTime(steps: readonly TimelineStep[], timePs: number): TimelineStep | undefined {
  return steps[Math.max(0, stepIndexAt(steps, timePs))];
}

/** A time with all its digits. */
export function exactText(clock: Clock, timePs: number): string {
  const step = clock.kind === 'step' ? stepOfTime(clock.steps, timePs) : undefined;
  if (step) return inStep(step, timePs, exactTime);
  if (clock.kind === 'wall' && clock.epochNs !== null) {
    const { date, fractionPs } = wallTime(clock.epochNs, timePs);
    return `${dayText(date)} ${secondText(date)}${fractionText(fractionPs, 12)} ${zoneText(date)}`;
  }
  return exactTime(timePs);
}

/** A time for a card or a list, with the digits that a resolution needs. */
export function shortText(clock: Clock, timePs: number, resolutionPs: number): string {
  const step = clock.kind === 'step' ? stepOfTime(clock.steps, timePs) : undefined;
  if (step) return inStep(step, timePs, (ps) => formatTime(ps, resolutionPs));
  if (clock.kind === 'wall' && clock.epochNs !== null) {
    const { date, fractionPs } = wallTime(clock.epochNs, timePs);
    const digits = Math.min(12, Math.max(0, Math.round(12 - Math.log10(resolutionPs))));
    return secondText(date) + fractionText(fractionPs, digits);
  }
  return formatTime(timePs, resolutionPs);
}

function inStep(step: TimelineStep, timePs: number, text: (ps: number) => string): string {
  const sincePs = timePs - step.start_ps;
  return `step ${step.step} ${sincePs < 0 ? '−' : '+'} ${text(Math.abs(sincePs))}`;
}

/** The second that contains a time, and the rest. */
export function wallTime(epochNs: bigint, timePs: number): { date: Date; fractionPs: number } {
  const ps = epochNs * 1000n + BigInt(Math.round(timePs));
  const second = 1_000_000_000_000n;
  const rest = ((ps % second) + second) % second;
  return { date: new Date(Number((ps - rest) / 1_000_000_000n)), fractionPs: Number(rest) };
}

const two = (value: number) => String(value).padStart(2, '0');

/** `09:24:08`, in the reader's time zone. */
export function secondText(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

function dayText(date: Date): string {
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}

/** The reader's time zone: `UTC`, `UTC+01:00`. */
function zoneText(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Digits of a second, in groups of three; empty for none. */
export function fractionText(fractionPs: number, digits: number): string {
  const text = digitsOf(fractionPs).slice(0, digits);
  const groups = (text.match(/.{1,3}/g) ?? []).join(' ').replace(/( 000)+$/, '');
  return groups ? `.${groups}` : '';
}
