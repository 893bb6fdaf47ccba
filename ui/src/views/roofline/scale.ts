/** Logarithmic axes of the roofline: their ends, ticks and places. Pure. */

export interface Axis {
  /** Ends, powers of ten. */
  from: number;
  to: number;
}

/** Whole powers of ten around positive values; one decade to either side of a single value. */
export function axisOf(values: readonly number[]): Axis {
  const logs = values.filter((value) => value > 0 && Number.isFinite(value)).map(Math.log10);
  if (logs.length === 0) return { from: 1, to: 10 };
  const from = Math.floor(Math.min(...logs) - 0.15);
  const to = Math.ceil(Math.max(...logs) + 0.15);
  return { from: 10 ** from, to: 10 ** Math.max(to, from + 1) };
}

/** Where a value lies, 0..1 of the axis; below 0 or above 1 outside it. */
export function place(axis: Axis, value: number): number {
  const from = Math.log10(axis.from);
  return (Math.log10(value) - from) / (Math.log10(axis.to) - from);
}

/** Powers of ten on the axis, at most `most` of them. */
export function ticksOf(axis: Axis, most: number): number[] {
  const from = Math.round(Math.log10(axis.from));
  const to = Math.round(Math.log10(axis.to));
  const step = Math.max(1, Math.ceil((to - from) / Math.max(1, most)));
  const ticks: number[] = [];
  for (let power = from; power <= to; power += step) ticks.push(10 ** power);
  return ticks;
}

/** A roof over the axis: the slope of a memory up to the ridge, then the flat peak of compute. */
export function roofOf(
  x: Axis,
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
