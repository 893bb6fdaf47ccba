/** Lines of the chart of speed-ups: points by device count on axes that double. Pure. */
import type { ScalingReport } from '../../wire/generated/ScalingReport';
import type { ScalingRow } from '../../wire/generated/ScalingRow';

/** What the chart shows of a row. */
export const MEASURES = [
  { key: 'speedup', title: 'Speed-up', value: (row: ScalingRow) => row.speedup_ratio },
  { key: 'efficiency', title: 'Efficiency', value: (row: ScalingRow) => row.efficiency_ratio },
  {
    key: 'throughput',
    title: 'Steps per second',
    value: (row: ScalingRow) => row.throughput_per_second,
  },
] as const;
export type Measure = (typeof MEASURES)[number];

/** The measure of a parameter of the page's address; speed-up where it says none. */
export const measureOf = (key: string | undefined): Measure =>
  MEASURES.find((measure) => measure.key === key) ?? MEASURES[0];

/** One method of one source. */
export interface Line {
  method: string;
  source: string;
  rows: ScalingRow[];
}

/** Lines in the order of the report's methods, their rows by device count. */
export function linesOf(report: ScalingReport): Line[] {
  return report.methods.map(({ method, source }) => ({
    method,
    source,
    rows: report.rows
      .filter((row) => row.method === method && row.source === source)
      .sort((one, other) => one.device_count - other.device_count),
  }));
}

/** What perfect scaling gives a line at a device count. */
export function idealOf(line: Line, measure: Measure, deviceCount: number): number {
  const base = line.rows[0];
  if (!base || measure.key === 'efficiency') return 1;
  return (measure.value(base) * deviceCount) / base.device_count;
}

/** Values between which an axis runs, and where its ticks stand. */
export interface Axis {
  from: number;
  to: number;
  ticks: number[];
}

/** Device counts: powers of two around them; half a doubling of room where there is one. */
export function countAxis(counts: readonly number[]): Axis {
  const least = Math.min(...counts);
  const most = Math.max(...counts);
  const ticks: number[] = [];
  for (let tick = 2 ** Math.floor(Math.log2(least)); tick <= most; tick *= 2) ticks.push(tick);
  const room = most > least ? 1.12 : Math.SQRT2;
  return { from: least / room, to: most * room, ticks };
}

/** Values from 0 on, with round ticks. */
export function valueAxis(values: readonly number[]): Axis {
  const most = Math.max(...values, 1e-12) * 1.06;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].find((size) => most / (size * power) <= 6) ?? 2;
  const ticks: number[] = [];
  for (let index = 0; index * step * power <= most; index++) ticks.push(index * step * power);
  return { from: 0, to: most, ticks };
}

/** Values that double from tick to tick, so that perfect scaling is a straight line. */
export function doublingAxis(values: readonly number[]): Axis {
  const known = values.filter((value) => value > 0);
  const least = Math.min(...known);
  const most = Math.max(...known);
  const from = 2 ** Math.floor(Math.log2(least) + 1e-9);
  const to = 2 ** Math.ceil(Math.log2(most) - 1e-9);
  const step = 2 ** Math.max(1, Math.ceil(Math.log2(to / from) / 8));
  const ticks: number[] = [];
  for (let tick = from; tick <= to * 1.001; tick *= step) ticks.push(tick);
  return { from: from / 1.15, to: to * 1.15, ticks };
}

/** Where a value lies on an axis that doubles, 0..1. */
export const placeOfCount = (axis: Axis, value: number) =>
  (Math.log2(value) - Math.log2(axis.from)) / (Math.log2(axis.to) - Math.log2(axis.from));

/** A ratio of speeds, such as `1.31×`. */
export const formatTimes = (ratio: number | null) =>
  ratio === null ? '–' : `${ratio.toFixed(ratio >= 100 ? 0 : 2)}×`;
