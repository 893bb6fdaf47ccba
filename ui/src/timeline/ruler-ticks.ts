/** Ticks of the time ruler for every way to read times; positions are times of the session. */
import { roundStep } from '../widgets/chart/ticks';
import { fractionText, secondText, stepOfTime, wallTime, type Clock } from './clock';
import { stepIndexAt } from './step-index';
import { baseLabel, tickLabel, timeAxis } from './time-axis';
import type { TimeWindow } from './viewport';

export interface RulerTicks {
  major: { timePs: number; text: string }[];
  minorPs: number[];
  /** What the labels are relative to, shown once at the left; empty if they are complete. */
  base: string;
}

/** Ticks whose labels have `minimumPx`. */
export function rulerTicks(
  clock: Clock,
  window: TimeWindow,
  widthPx: number,
  minimumPx: number,
): RulerTicks {
  if (clock.kind === 'step' && clock.steps.length > 0) {
    return stepTicks(clock, window, widthPx, minimumPx * STEP_SHARE);
  }
  if (clock.kind === 'wall' && clock.epochNs !== null) {
    return wallTicks(clock.epochNs, window, widthPx, minimumPx);
  }
  return ticksFrom(0, window, widthPx, minimumPx);
}

/** Ticks relative to a time. */
function ticksFrom(
  zeroPs: number,
  window: TimeWindow,
  widthPx: number,
  minimumPx: number,
): RulerTicks {
  const relative = { startPs: window.startPs - zeroPs, endPs: window.endPs - zeroPs };
  const axis = timeAxis(relative, widthPx, minimumPx);
  const perMajor = axis.minorCount + 1;
  const found: RulerTicks = { major: [], minorPs: [], base: baseLabel(axis) };
  for (let i = -perMajor; i < axis.count * perMajor; i++) {
    const at = axis.firstPs + (i * axis.stepPs) / perMajor;
    if (at < relative.startPs || at > relative.endPs) continue;
    if (i % perMajor !== 0) found.minorPs.push(zeroPs + at);
    else found.major.push({ timePs: zeroPs + at, text: tickLabel(axis, at) });
  }
  return found;
}

/** Times within a step are shorter than those of the session. */
const STEP_SHARE = 0.65;
/** Less than this share of a label's room has the 0 of a step. */
const ZERO_SHARE = 0.3;

/** Ticks that begin anew at every step. Steps too narrow for a label have none. */
function stepTicks(
  { steps }: Clock,
  window: TimeWindow,
  widthPx: number,
  minimumPx: number,
): RulerTicks {
  const pxPerPs = widthPx / (window.endPs - window.startPs);
  const found: RulerTicks = { major: [], minorPs: [], base: '' };
  const first = Math.max(0, stepIndexAt(steps, window.startPs));
  for (let i = first; i < steps.length; i++) {
    const zeroPs = steps[i]!.start_ps;
    if (zeroPs > window.endPs && i > first) break;
    const startPs = i === first ? window.startPs : Math.max(zeroPs, window.startPs);
    const endPs = Math.min(steps[i + 1]?.start_ps ?? Infinity, window.endPs);
    const px = (endPs - startPs) * pxPerPs;
    if (!(px >= minimumPx * ZERO_SHARE)) continue;
    const ticks = ticksFrom(zeroPs, { startPs, endPs }, px, minimumPx);
    // The tick at the end is the next step's 0.
    const isOwn = (timePs: number) => timePs < endPs || endPs === window.endPs;
    found.minorPs.push(...ticks.minorPs.filter(isOwn));
    const roomPs = (minimumPx * ZERO_SHARE) / pxPerPs;
    for (const { timePs, text } of ticks.major.filter((tick) => isOwn(tick.timePs))) {
      const isCrowded = endPs - timePs < roomPs * (timePs === zeroPs ? 1 : 2);
      found.major.push({ timePs, text: isCrowded ? '' : timePs === zeroPs ? '0' : text });
    }
    if (ticks.base && found.base === '') {
      found.base = `step ${stepOfTime(steps, startPs)!.step} + ${ticks.base}`;
    }
  }
  return found;
}

const MILLISECOND_PS = 1e9;
const SECOND_PS = 1e12;
const MINUTE_PS = 60 * SECOND_PS;
/** Round numbers of seconds of a clock. */
const CLOCK_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200];
/** Units of labels below a millisecond. */
const SHORT_UNITS = [
  ['µs', 1e6],
  ['ns', 1e3],
  ['ps', 1],
] as const;
/** Minor ticks per labeled one. */
const MINORS = 5;

/** Ticks at round times of day. */
function wallTicks(
  epochNs: bigint,
  window: TimeWindow,
  widthPx: number,
  minimumPx: number,
): RulerTicks {
  const atLeastPs = ((window.endPs - window.startPs) / widthPx) * minimumPx;
  const seconds = CLOCK_SECONDS.find((each) => each * SECOND_PS >= atLeastPs) ?? 86_400;
  const stepPs = atLeastPs <= SECOND_PS ? Math.max(1, roundStep(atLeastPs)) : seconds * SECOND_PS;
  // Times since the last full minute are exact; those since midnight only down to 16 ps.
  const zeroPs = stepPs < MINUTE_PS ? -sinceMinute(epochNs) : -sinceMidnight(epochNs);
  const found: RulerTicks = { major: [], minorPs: [], base: '' };
  let textOf = (timePs: number) => wallText(epochNs, timePs, stepPs < SECOND_PS ? 3 : 0);
  // Full times would hide what differs between them.
  const unit = SHORT_UNITS.find(([, unitPs]) => stepPs < MILLISECOND_PS && stepPs >= unitPs);
  if (unit) {
    const [name, unitPs] = unit;
    const basePs = zeroPs + Math.floor((window.startPs - zeroPs) / unitPs / 1000) * unitPs * 1000;
    found.base = wallText(epochNs, basePs, 12);
    textOf = (timePs) => `+${Math.round((timePs - basePs) / unitPs)} ${name}`;
  }
  const minorPs = stepPs / MINORS;
  const first = Math.ceil((window.startPs - zeroPs) / minorPs - 1e-9);
  const last = Math.floor((window.endPs - zeroPs) / minorPs + 1e-9);
  for (let i = first; i <= last; i++) {
    const timePs = zeroPs + i * minorPs;
    if (i % MINORS !== 0) found.minorPs.push(timePs);
    else found.major.push({ timePs, text: textOf(timePs) });
  }
  return found;
}

function wallText(epochNs: bigint, timePs: number, digits: number): string {
  const { date, fractionPs } = wallTime(epochNs, timePs);
  return secondText(date) + fractionText(fractionPs, digits);
}

/** Picoseconds of time 0 since the last full minute. */
function sinceMinute(epochNs: bigint): number {
  return Number(epochNs % 60_000_000_000n) * 1000;
}

/** Picoseconds of time 0 since midnight in the reader's time zone. */
function sinceMidnight(epochNs: bigint): number {
  const { date, fractionPs } = wallTime(epochNs, 0);
  const seconds = (date.getHours() * 60 + date.getMinutes()) * 60 + date.getSeconds();
  return seconds * SECOND_PS + fractionPs;
}
