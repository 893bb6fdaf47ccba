/** The line of a counter in a box: its path and the values around it. Pure. */
import type { CounterPoint } from '../../wire/generated/CounterPoint';

export interface Box {
  width: number;
  height: number;
  /** Time at the left and right edge. */
  startPs: number;
  endPs: number;
}

/** Least and most of the points in sight, a little apart where they are the same. */
export function rangeOf(points: readonly CounterPoint[], box: Box): { low: number; high: number } {
  const inside = points.filter((point) => point.at_ps >= box.startPs && point.at_ps <= box.endPs);
  const shown = inside.length > 0 ? inside : points;
  const low = Math.min(...shown.map((point) => point.min));
  const high = Math.max(...shown.map((point) => point.max));
  if (high > low) return { low: low > 0 && low < high * 0.5 ? 0 : low, high };
  const half = Math.abs(high) * 0.05 || 1;
  return { low: low - half, high: high + half };
}

const xOf = (box: Box, ps: number) =>
  ((ps - box.startPs) / Math.max(1, box.endPs - box.startPs)) * box.width;

/** The path through the means, and the band between least and most. */
export function pathsOf(
  points: readonly CounterPoint[],
  box: Box,
): { line: string; band: string; low: number; high: number } {
  const { low, high } = rangeOf(points, box);
  const y = (value: number) => box.height - ((value - low) / (high - low)) * box.height;
  const at = (point: CounterPoint, value: number) =>
    `${xOf(box, point.at_ps).toFixed(1)},${y(value).toFixed(1)}`;
  const line = points.map((point) => at(point, point.mean)).join(' ');
  const above = points.map((point) => at(point, point.max));
  const below = points.map((point) => at(point, point.min)).reverse();
  const isWide = points.some((point) => point.max > point.min);
  return { line, band: isWide ? [...above, ...below].join(' ') : '', low, high };
}

/** The point nearest to a place on the box. */
export function nearest(
  points: readonly CounterPoint[],
  box: Box,
  x: number,
): CounterPoint | undefined {
  let best: CounterPoint | undefined;
  for (const point of points) {
    if (!best || Math.abs(xOf(box, point.at_ps) - x) < Math.abs(xOf(box, best.at_ps) - x)) {
      best = point;
    }
  }
  return best;
}

/** The time at a place on the box. */
export function timeAt(box: Box, x: number): number {
  const part = Math.max(0, Math.min(1, x / Math.max(1, box.width)));
  return Math.round(box.startPs + part * (box.endPs - box.startPs));
}

const SCALES: [number, string][] = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
];

/** A value with four or five digits and its unit: `1,234.6 W`, `2.4 TB/s`, `12.35 M cycles`. */
export function valueText(value: number, unit: string): string {
  const scale = SCALES.find(([size]) => Math.abs(value) >= size);
  if (scale) {
    const [size, letter] = scale;
    const text = Number((value / size).toPrecision(4)).toLocaleString('en');
    if (unit.startsWith('bytes')) return `${text} ${letter}B${unit.slice('bytes'.length)}`;
    return `${text} ${letter}${unit ? ` ${unit}` : ''}`;
  }
  const text =
    value !== 0 && Math.abs(value) < 1e-3
      ? value.toExponential(3)
      : Number(value.toPrecision(5)).toLocaleString('en', { maximumFractionDigits: 5 });
  return unit ? `${text} ${unit}` : text;
}

/** Long names that begin alike are told apart by their ends: this much of the beginning. */
const ALIKE = 24;

/** Titles of charts: names without the long beginning that they share with others. */
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
