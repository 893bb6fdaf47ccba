/** A metric of a run as a line: its places, the range of its values, and what a point says. Pure. */
import { stepsText } from './run-marks';
import type { MetricPoint } from '../../wire/generated/MetricPoint';

/** A value as people read it: six digits. */
export const valueText = (value: number) => String(Number(value.toPrecision(6)));

/** From the lowest to the highest value, with a margin; a flat line lies in its middle. */
export function valueRange(points: readonly MetricPoint[]): { from: number; to: number } {
  let [from, to] = [Infinity, -Infinity];
  for (const { least, most } of points) {
    if (least !== null) from = Math.min(from, least);
    if (most !== null) to = Math.max(to, most);
  }
  if (from > to) return { from: 0, to: 1 };
  const margin = to > from ? 0.06 * (to - from) : Math.max(Math.abs(to) / 10, 1e-12);
  return { from: from - margin, to: to + margin };
}

/** Runs of points that have a value: where all values of a point are not finite, the line ends. */
export function pieces(points: readonly MetricPoint[]): number[][] {
  const found: number[][] = [[]];
  points.forEach((point, index) => {
    if (point.last === null) found.push([]);
    else found.at(-1)!.push(index);
  });
  return found.filter((piece) => piece.length > 0);
}

/** Stretches of points with values that are not finite, each with its first and last point. */
export function brokenStretches(points: readonly MetricPoint[]): { first: number; last: number }[] {
  const found: { first: number; last: number }[] = [];
  points.forEach((point, index) => {
    if (point.not_finite_step === null) return;
    const before = found.at(-1);
    if (before?.last === index - 1) before.last = index;
    else found.push({ first: index, last: index });
  });
  return found;
}

/** What a point says: its value, and the first one that is not finite. */
export function pointText(point: MetricPoint): string {
  const bad =
    point.not_finite_step === null ? '' : `${point.not_finite} at step ${point.not_finite_step}`;
  if (point.last === null) return bad;
  const { least, last, most } = point;
  const isOne = least === most;
  const range = isOne ? '' : `, ${valueText(least!)} to ${valueText(most!)}`;
  const value = `${valueText(last)}${range}, ${stepsText(point)}`;
  return bad ? `${value}, ${bad}` : value;
}
