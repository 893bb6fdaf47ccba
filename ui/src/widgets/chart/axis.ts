/** Axes: a scale, the ticks that fit on it, and what they measure. Pure. */
import { columnScale, formatDate, type Kind } from '../../format/numbers';
import { tickLabel, timeAxis } from '../../timeline/time-axis';
import { linear, type Scale } from './scale';
import { everyNth, linearTicks, wholeTicks } from './ticks';

export interface Tick {
  value: number;
  text: string;
}

export interface Axis {
  scale: Scale;
  ticks: readonly Tick[];
  /** What the axis measures, with its unit. */
  title: string;
  /** Lines across the plot at the ticks. */
  hasGrid?: boolean;
}

/** An axis for a length in pixels. */
export type AxisOf = (length: number) => Axis;

/** Minimum pixels between two ticks. */
const TICK_HEIGHT = 27;
const TICK_WIDTH = 64;
const TIME_WIDTH = 90;
const DATE_WIDTH = 96;
/** Pixels of a character of a label, and between two labels. */
const CHARACTER = 6.4;
const LABEL_GAP = 10;
/** Pixels per row of labels. */
const ROW_HEIGHT = 12;

/** `Step time, ms`, or the name alone. */
export const titled = (name: string, unit: string) => [name, unit].filter(Boolean).join(', ');

/** A number as an axis shows it: no more digits than necessary, with thousands separators. */
export const tickText = (value: number) =>
  Number(value.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 6 });

/** A vertical axis of figures: one unit for all ticks, shown in the title. */
export function figureAxis(name: string, kind: Kind, from: number, to: number): AxisOf {
  return (length) => {
    const unit = columnScale(kind, [from, to]);
    const most = Math.max(2, Math.floor(length / TICK_HEIGHT));
    const ticks =
      kind === 'count' ? wholeTicks(from, to, most) : linearTicks(from, to, most, unit.size);
    return {
      scale: linear(from, to),
      ticks: ticks.map((value) => ({ value, text: tickText(value / unit.size) })),
      title: titled(name, unit.unit),
      hasGrid: true,
    };
  };
}

/** A horizontal axis of figures. */
export function figureAcross(name: string, kind: Kind, from: number, to: number): AxisOf {
  return (length) => ({
    ...figureAxis(name, kind, from, to)((length * TICK_HEIGHT) / TICK_WIDTH),
    hasGrid: false,
  });
}

/** A horizontal axis of session time, each tick with its unit. */
export function timeAcross(startPs: number, endPs: number): AxisOf {
  return (length) => {
    const window = { startPs, endPs: Math.max(endPs, startPs + 1) };
    const found = timeAxis(window, Math.max(1, length), TIME_WIDTH);
    const ticks = Array.from({ length: found.count }, (_, index) => {
      const value = found.firstPs + index * found.stepPs;
      return { value, text: tickLabel(found, value) };
    });
    return { scale: linear(window.startPs, window.endPs), ticks, title: 'Time' };
  };
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Distances of dates on an axis. */
const DATE_STEPS_MS = [
  ...[1, 5, 15, 30, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((days) => days * DAY_MS),
];

/** A horizontal axis of dates, in milliseconds since 1970, as local times. */
export function dateAcross(fromMs: number, toMs: number): AxisOf {
  return (length) => {
    const room = Math.max(0.02 * (toMs - fromMs), MINUTE_MS);
    const [from, to] = [fromMs - room, toMs + room];
    const most = Math.max(2, Math.floor(length / DATE_WIDTH));
    const fits = (stepMs: number) => (to - from) / stepMs <= most;
    const stepMs = DATE_STEPS_MS.find(fits) ?? Math.ceil((to - from) / most / DAY_MS) * DAY_MS;
    const zoneMs = new Date(from).getTimezoneOffset() * MINUTE_MS;
    const ticks: Tick[] = [];
    for (let value = Math.ceil((from - zoneMs) / stepMs) * stepMs + zoneMs; value <= to; value += stepMs) {
      const [day = '', time = ''] = formatDate(value).split(' ');
      ticks.push({ value, text: stepMs >= DAY_MS ? day : `${day.slice(5)} ${time}` });
    }
    return { scale: linear(from, to), ticks, title: '' };
  };
}

/** A horizontal axis with one slot per label: slot `i` goes from `i` to `i + 1`. */
export function slotsAcross(title: string, labels: readonly string[]): AxisOf {
  return (length) => {
    const longest = labels.reduce((most, label) => Math.max(most, label.length), 0);
    const slot = length / Math.max(1, labels.length);
    const every = everyNth(slot, longest * CHARACTER + LABEL_GAP);
    const ticks = labels.flatMap((text, index) =>
      index % every === 0 ? [{ value: index + 0.5, text }] : [],
    );
    return { scale: linear(0, Math.max(1, labels.length)), ticks, title };
  };
}

/** A vertical axis of slots, the first at the top: slot `i` of `n` goes from `n - i` to `n - i - 1`. */
export function slotsDown(labels: readonly string[]): AxisOf {
  return (length) => {
    const count = Math.max(1, labels.length);
    const every = everyNth(length / count, ROW_HEIGHT);
    const ticks = labels.flatMap((text, index) =>
      index % every === 0 ? [{ value: count - index - 0.5, text }] : [],
    );
    return { scale: linear(0, count), ticks, title: '' };
  };
}

/** Left edge and width of a slot in whole pixels, without seams between neighbors. */
export function slotAt(count: number, index: number, width: number): [left: number, width: number] {
  const left = Math.round((index / Math.max(1, count)) * width);
  return [left, Math.max(1, Math.round(((index + 1) / Math.max(1, count)) * width) - left)];
}
