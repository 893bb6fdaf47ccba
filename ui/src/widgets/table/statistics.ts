/** The distribution of a column's figures. Pure. */
import { format, ownScale, type Kind } from '../../format/numbers';

export interface Bin {
  from: number;
  to: number;
  count: number;
}

export interface Statistics {
  count: number;
  sum: number;
  min: number;
  median: number;
  mean: number;
  p95: number;
  max: number;
  /** Bins of equal width; of equal ratio if the figures span more than a factor of a hundred. */
  bins: readonly Bin[];
  isLogarithmic: boolean;
}

const BINS = 24;
const LINEAR_SPAN = 100;

/** Null without figures. Percentiles are figures that occur: the nearest rank. */
export function statisticsOf(values: Iterable<unknown>): Statistics | null {
  const sorted = Float64Array.from(
    [...values].filter((value): value is number => typeof value === 'number' && isFinite(value)),
  ).sort();
  const count = sorted.length;
  if (count === 0) return null;
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * count) - 1)] ?? 0;
  const sum = sorted.reduce((all, value) => all + value, 0);
  const [min, max] = [sorted[0] ?? 0, sorted[count - 1] ?? 0];
  const isLogarithmic = min > 0 && max > min * LINEAR_SPAN;
  return {
    count,
    sum,
    min,
    median: at(0.5),
    mean: sum / count,
    p95: at(0.95),
    max,
    bins: binsOf(sorted, min, max, isLogarithmic),
    isLogarithmic,
  };
}

function binsOf(sorted: Float64Array, min: number, max: number, isLogarithmic: boolean): Bin[] {
  if (max <= min) return [{ from: min, to: max, count: sorted.length }];
  const edge = (index: number) =>
    isLogarithmic ? min * (max / min) ** (index / BINS) : min + ((max - min) * index) / BINS;
  const bins = Array.from({ length: BINS }, (_, index) => ({
    from: edge(index),
    to: edge(index + 1),
    count: 0,
  }));
  let index = 0;
  for (const value of sorted) {
    while (index < BINS - 1 && value >= edge(index + 1)) index++;
    const bin = bins[index];
    if (bin) bin.count++;
  }
  return bins;
}

/** How the figures of one column are written: in one unit, so that they can be compared. */
export function textOf(kind: Kind, statistics: Statistics): (value: number) => string {
  if (kind === 'count' || kind === 'ratio') return (value) => format(kind, value);
  const { min, median, mean, p95, max } = statistics;
  return ownScale(kind, [min, median, mean, p95, max]).text;
}
