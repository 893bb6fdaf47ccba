/** The step before and after a change: what is drawn where, and what is said of it. Pure. */
import { formatDuration, plural } from '../../format/numbers';
import { classColor, classTitle } from '../../format/palette';
import { linearTicks } from '../../widgets/chart/ticks';
import type { ChartData } from '../../widgets/chart/data';
import type { WhatIfLane } from '../../wire/generated/WhatIfLane';
import type { WhatIfPicture } from '../../wire/generated/WhatIfPicture';
import type { WhatIfSlice } from '../../wire/generated/WhatIfSlice';

/** Units across a drawing, whatever its width on the page. */
export const UNITS = 1000;
/** About this many labels along the time axis. */
const TICKS = 8;

/** Which of the two timelines. */
export type When = 'before' | 'after';

/** Slices of one color, as the outline of an SVG path in a box of `UNITS` × 1. */
export interface Shape {
  class: string;
  color: string;
  /** Whether the changes remove what is drawn. */
  isRemoved: boolean;
  outline: string;
}

/** The end of the longer of the two timelines: both are drawn on its scale. */
export function lengthOf(picture: WhatIfPicture): number {
  return Math.max(1, picture.before_ps, picture.after_ps);
}

/** Position of a time, 0 to `UNITS`. */
function at(timePs: number, lengthPs: number): number {
  const place = (UNITS * timePs) / lengthPs;
  return Number(Math.min(UNITS, Math.max(0, place)).toFixed(2));
}

const rectangle = (slice: WhatIfSlice, lengthPs: number) => {
  const [from, to] = [
    at(slice.start_ps, lengthPs),
    at(slice.start_ps + slice.duration_ps, lengthPs),
  ];
  return `M${from} 0H${to}V1H${from}Z`;
};

/** The slices of a lane, one path for each color. */
export function shapesOf(slices: readonly WhatIfSlice[], lengthPs: number): Shape[] {
  const shapes = new Map<string, Shape>();
  for (const slice of slices) {
    const isRemoved = slice.change === 'removed';
    const key = `${slice.class} ${isRemoved}`;
    const color = classColor(slice.class);
    const shape = shapes.get(key) ?? { class: slice.class, color, isRemoved, outline: '' };
    shape.outline += rectangle(slice, lengthPs);
    shapes.set(key, shape);
  }
  return [...shapes.values()];
}

/** Where work gets shorter, longer or is gone, as one path. */
export function changesOf(slices: readonly WhatIfSlice[], lengthPs: number): string {
  const changed = slices.filter((slice) => slice.change !== 'same');
  return changed.map((slice) => rectangle(slice, lengthPs)).join('');
}

/** The slice at a share of the width; else the nearest one before it that is close. */
export function sliceAt(
  slices: readonly WhatIfSlice[],
  share: number,
  lengthPs: number,
): WhatIfSlice | null {
  const timePs = share * lengthPs;
  const reachPs = lengthPs / UNITS;
  let best: WhatIfSlice | null = null;
  let bestPs = reachPs;
  for (const slice of slices) {
    const endPs = slice.start_ps + slice.duration_ps;
    const distance = Math.max(slice.start_ps - timePs, timePs - endPs, 0);
    if (distance < bestPs || (distance === 0 && bestPs > 0)) [best, bestPs] = [slice, distance];
  }
  return best;
}

const CHANGES: Record<WhatIfSlice['change'], string> = {
  same: '',
  longer: 'gets longer',
  shorter: 'gets shorter',
  removed: 'is gone',
};

/** What a slice is, for its tooltip. */
export function textOf(slice: WhatIfSlice): string {
  const others = slice.count > 1 ? ` and ${plural(slice.count - 1, 'other')}` : '';
  const lines = [
    `${slice.what}${others}`,
    `${classTitle(slice.class)}, ${formatDuration(slice.duration_ps)} from ${formatDuration(slice.start_ps)}`,
  ];
  const change = CHANGES[slice.change];
  if (change) lines.push(slice.count > 1 ? `part of it ${change}` : change);
  return lines.join('\n');
}

/** The classes that are drawn, most time first. */
export function classesOf(picture: WhatIfPicture): string[] {
  const sums = new Map<string, number>();
  for (const lane of picture.lanes) {
    for (const slice of [...lane.before, ...lane.after]) {
      sums.set(slice.class, (sums.get(slice.class) ?? 0) + slice.duration_ps);
    }
  }
  return [...sums].sort((one, other) => other[1] - one[1]).map(([name]) => name);
}

/** The lanes by device, in order. */
export function devicesOf(picture: WhatIfPicture): { device: string; lanes: WhatIfLane[] }[] {
  const devices: { device: string; lanes: WhatIfLane[] }[] = [];
  for (const lane of picture.lanes) {
    const last = devices.at(-1);
    if (last?.device === lane.device) last.lanes.push(lane);
    else devices.push({ device: lane.device, lanes: [lane] });
  }
  return devices;
}

/** Labels along the axis: a share of the width each. */
export function ticksOf(lengthPs: number): { share: number; text: string }[] {
  return linearTicks(0, lengthPs, TICKS).map((timePs) => ({
    share: timePs / lengthPs,
    text: formatDuration(timePs),
  }));
}

/** The lane in words: for readers who don't see it. */
export function laneText(lane: WhatIfLane, when: When): string {
  const what = lane.is_communication ? 'communication' : 'work';
  const [busyPs, endPs] =
    when === 'before'
      ? [lane.before_busy_ps, lane.before_end_ps]
      : [lane.after_busy_ps, lane.after_end_ps];
  const name = when === 'before' ? 'recorded' : 'changed';
  const busy = `${lane.device}, ${what}, ${name}: ${formatDuration(busyPs)} busy`;
  return `${busy}, step ends at ${formatDuration(endPs)}`;
}

/** What the changes do to the step, in a sentence. */
export function summaryOf(picture: WhatIfPicture): string {
  const { before_ps: before, after_ps: after } = picture;
  const step = picture.step === null ? 'The recording' : `Step ${picture.step}`;
  const sum = (of: (lane: WhatIfLane) => number) =>
    picture.lanes.reduce((all, lane) => all + of(lane), 0);
  const counts = [
    [sum((lane) => lane.removed), 'gone'],
    [sum((lane) => lane.shorter), 'shorter'],
    [sum((lane) => lane.longer), 'longer'],
  ] as const;
  const changed = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  const pieces = changed.length > 0 ? `; pieces of work: ${changed.join(', ')}` : '';
  const times = `${formatDuration(before)} as recorded, ${formatDuration(after)} with the changes`;
  return `${step}: ${times}${pieces}.`;
}

/** The figures of the picture: every slice, before and after. */
export function dataOf(picture: WhatIfPicture): ChartData {
  return {
    columns: ['when', 'device', 'class', 'what', 'change', 'start_ps', 'duration_ps'],
    rows: (['before', 'after'] as const).flatMap((when) =>
      picture.lanes.flatMap((lane) =>
        lane[when].map((slice) => [
          when,
          lane.device,
          slice.class,
          slice.what,
          slice.change,
          slice.start_ps,
          slice.duration_ps,
        ]),
      ),
    ),
  };
}
