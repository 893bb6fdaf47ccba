/** Lines of the speedup chart: points by device count, on axes that double. Pure. */
import { plural } from '../../format/numbers';
import { figureAxis, tickText, titled, type AxisOf } from '../../widgets/chart/axis';
import { logarithmic, rangeOf } from '../../widgets/chart/scale';
import { doublingTicks } from '../../widgets/chart/ticks';
import type { ScalingReport } from '../../wire/generated/ScalingReport';
import type { ScalingRow } from '../../wire/generated/ScalingRow';

/** What the chart shows of a row. */
export const MEASURES = [
  { key: 'speedup', title: 'Speedup', unit: '×', value: (row: ScalingRow) => row.speedup_ratio },
  {
    key: 'efficiency',
    title: 'Efficiency',
    unit: '%',
    value: (row: ScalingRow) => row.efficiency_ratio,
  },
  {
    key: 'throughput',
    title: 'Steps per second',
    unit: '',
    value: (row: ScalingRow) => row.throughput_per_second,
  },
] as const;
export type Measure = (typeof MEASURES)[number];

/** The measure that a URL parameter names; speedup by default. */
export const measureOf = (key: string | undefined): Measure =>
  MEASURES.find((measure) => measure.key === key) ?? MEASURES[0];

/** One method: sessions of one program on one kind of device, or benchmarks. */
export interface Line {
  name: string;
  source: string;
  rows: ScalingRow[];
}

/** Lines in the order of the report's methods, their rows by device count. */
export function linesOf(report: ScalingReport): Line[] {
  return report.methods.map(({ name, source }, position) => ({
    name,
    source,
    rows: report.rows
      .filter((row) => row.group === position)
      .sort((one, other) => one.device_count - other.device_count),
  }));
}

/** Why there is no curve, and what to record for one. */
export function oneCountText({ rows }: Pick<ScalingReport, 'rows'>): string {
  const counts = [...new Set(rows.map((row) => row.device_count))];
  const record = 'Record the same program on twice as many devices to see how it scales.';
  const [only] = counts;
  if (only === undefined) return `There are no steps to compare. ${record}`;
  return counts.length === 1
    ? `Every session ran on ${plural(only, 'device')}, so there is no scaling to compare. ${record}`
    : `Each program ran on a single number of devices, so there is no scaling to compare. ${record}`;
}

/** What perfect scaling gives a line at a device count. */
export function idealOf(line: Line, measure: Measure, deviceCount: number): number {
  const base = line.rows[0];
  if (!base || measure.key === 'efficiency') return 1;
  return (measure.value(base) * deviceCount) / base.device_count;
}

/** Device counts that double, with some room around them. */
export function countAxis(counts: readonly number[]): AxisOf {
  const { from, to } = rangeOf(counts) ?? { from: 1, to: 1 };
  const room = to > from ? 1.12 : Math.SQRT2;
  const scale = logarithmic(from / room, to * room);
  return (length) => ({
    scale,
    ticks: ticksOf(doublingTicks(scale.from, scale.to, length / 50)),
    title: 'Devices',
  });
}

/** Efficiency from 0 on; others double from tick to tick, so that perfect scaling is straight. */
export function valueAxis(measure: Measure, values: readonly number[]): AxisOf {
  if (measure.key === 'efficiency') {
    const most = Math.max(...values, 1e-12);
    return figureAxis(measure.title, 'ratio', 0, most * 1.06);
  }
  const range = rangeOf(values.filter((value) => value > 0)) ?? { from: 1, to: 2 };
  const from = 2 ** Math.floor(Math.log2(range.from) + 1e-9);
  const to = 2 ** Math.ceil(Math.log2(range.to) - 1e-9);
  return (length) => ({
    scale: logarithmic(from / 1.15, to * 1.15),
    ticks: ticksOf(doublingTicks(from, to, Math.min(8, length / 30))),
    title: titled(measure.title, measure.unit),
    hasGrid: true,
  });
}

const ticksOf = (values: readonly number[]) =>
  values.map((value) => ({ value, text: tickText(value) }));

/** A ratio of speeds, such as `1.31×`. */
export const formatTimes = (ratio: number | null) =>
  ratio === null ? '–' : `${ratio.toFixed(ratio >= 100 ? 0 : 2)}×`;
