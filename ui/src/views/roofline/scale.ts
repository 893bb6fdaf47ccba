/** Logarithmic axes of the roofline, and the line of a roof. Pure. */
import type { AxisOf } from '../../widgets/chart/axis';
import { logarithmic } from '../../widgets/chart/scale';
import { decadeTicks } from '../../widgets/chart/ticks';

/** Ends of an axis, powers of ten. */
export interface Decades {
  from: number;
  to: number;
}

/** Whole powers of ten around positive values; one decade to either side of a single value. */
export function decadesAround(values: readonly number[]): Decades {
  const logs = values.filter((value) => value > 0 && Number.isFinite(value)).map(Math.log10);
  if (logs.length === 0) return { from: 1, to: 10 };
  const from = Math.floor(Math.min(...logs) - 0.15);
  const to = Math.ceil(Math.max(...logs) + 0.15);
  return { from: 10 ** from, to: 10 ** Math.max(to, from + 1) };
}

/** Powers of ten at least `gap` pixels apart. */
export function decadeAxis(
  title: string,
  { from, to }: Decades,
  text: (value: number) => string,
  gap: number,
): AxisOf {
  return (length) => ({
    scale: logarithmic(from, to),
    ticks: decadeTicks(from, to, Math.floor(length / gap)).map((value) => ({
      value,
      text: text(value),
    })),
    title,
    hasGrid: true,
  });
}

export const intensityText = (value: number) =>
  value >= 0.009 && value < 1e5 ? String(Number(value.toPrecision(3))) : value.toExponential(0);

/** `100 T` for 1e14; the unit is in the title of the axis. */
export function rateText(value: number): string {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  const index = Math.max(0, Math.min(6, Math.floor(Math.log10(value) / 3 + 1e-9)));
  const digits = value / 1000 ** index;
  return `${digits >= 1 ? Math.round(digits) : digits.toPrecision(1)} ${prefixes[index] ?? ''}`.trim();
}

/** A roof over the axis: the slope of a memory up to the ridge, then the flat peak of compute. */
export function roofOf(
  x: Decades,
  bytesPerSecond: number,
  flopsPerSecond: number | null,
): [number, number][] {
  const ridge = flopsPerSecond === null ? Infinity : flopsPerSecond / bytesPerSecond;
  const points: [number, number][] = [
    [x.from, Math.min(x.from * bytesPerSecond, flopsPerSecond ?? Infinity)],
  ];
  if (ridge > x.from && ridge < x.to) points.push([ridge, flopsPerSecond ?? Infinity]);
  points.push([x.to, Math.min(x.to * bytesPerSecond, flopsPerSecond ?? Infinity)]);
  return points;
}
