/** The line of a counter: the visible points, the axis of their values, and its text. Pure. */
import { scaledUnit, scaleOf, valueText } from '../../format/counter-value';
import type { TimeWindow } from '../../timeline/viewport';
import type { AxisOf } from '../../widgets/chart/axis';
import { linear, rangeOf } from '../../widgets/chart/scale';
import { linearTicks } from '../../widgets/chart/ticks';
import type { CounterPoint } from '../../wire/generated/CounterPoint';

/** The points within a window and one on either side, so that the line reaches its edges. */
export function pointsIn(points: readonly CounterPoint[], window: TimeWindow): CounterPoint[] {
  return points.filter(
    (_, index) =>
      (points[index + 1]?.at_ps ?? Infinity) >= window.startPs &&
      (points[index - 1]?.at_ps ?? -Infinity) <= window.endPs,
  );
}

/** Minimum and maximum of the points, widened if equal; starts at 0 if the minimum is near it. */
export function valueRange(points: readonly CounterPoint[]): { from: number; to: number } {
  const ends = points.flatMap((point) => [point.min, point.max]);
  const { from, to } = rangeOf(ends) ?? { from: 0, to: 0 };
  if (to > from) return { from: from > 0 && from < to * 0.5 ? 0 : from, to };
  const half = Math.abs(to) * 0.05 || 1;
  return { from: from - half, to: to + half };
}

/** The axis of values: short labels, with their common unit as the title. */
export function valueAxis(points: readonly CounterPoint[], unit: string): AxisOf {
  const { from, to } = valueRange(points);
  const [size, letter] = scaleOf(Math.max(Math.abs(from), Math.abs(to)));
  return (length) => ({
    scale: linear(from, to),
    ticks: linearTicks(from, to, Math.max(2, length / TICK_HEIGHT)).map((value) => ({
      value,
      text: valueText(value / size, ''),
    })),
    title: scaledUnit(letter, unit),
    hasGrid: true,
  });
}

/** Minimum distance of two ticks in pixels. */
const TICK_HEIGHT = 28;

/** Names whose first characters, this many, are the same lose their common prefix. */
const ALIKE = 24;

/** Titles of charts: names without a long prefix that they share with others. */
export function titlesOf(names: readonly string[]): Map<string, string> {
  const groups = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const key = name.slice(0, ALIKE);
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  const titles = new Map<string, string>();
  for (const group of groups.values()) {
    let shared = group[0] ?? '';
    for (const name of group) {
      while (!name.startsWith(shared)) shared = shared.slice(0, -1);
    }
    // Whole words only.
    const cut = group.length > 1 ? shared.search(/[^_.]*$/) : 0;
    for (const name of group) titles.set(name, cut >= ALIKE ? name.slice(cut) : name);
  }
  return titles;
}
