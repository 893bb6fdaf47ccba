/** Geometry of the two charts of a schedule: memory over points, and buffers over points. */
import type { BufferLifetime } from '../../wire/generated/BufferLifetime';
import type { BufferPoint } from '../../wire/generated/BufferPoint';

export interface Size {
  width: number;
  height: number;
}

/** Where a point of the schedule lies, 0..width. */
export function xOf(position: number, pointCount: number, width: number): number {
  return pointCount > 1 ? (position / (pointCount - 1)) * width : 0;
}

/** Steps of the curve as a path; `key` says which of the two sums. */
export function curvePath(
  curve: readonly BufferPoint[],
  key: 'bytes' | 'unpadded_bytes',
  pointCount: number,
  top: number,
  size: Size,
): string {
  const y = (value: number) => size.height - (top > 0 ? (value / top) * size.height : 0);
  let path = '';
  for (const point of curve) {
    const x = round(xOf(point.position, pointCount, size.width));
    const value = round(y(point[key]));
    path += path === '' ? `M${x},${value}` : `H${x}V${value}`;
  }
  return path && `${path}H${round(size.width)}`;
}

/** The same closed at the bottom, to be filled. */
export function areaPath(path: string, size: Size): string {
  return path && `${path}V${size.height}H0Z`;
}

/** The point of the curve nearest to a place, among those that are sent. */
export function nearest(
  curve: readonly BufferPoint[],
  x: number,
  pointCount: number,
  width: number,
): BufferPoint | undefined {
  const wanted = width > 0 ? (x / width) * Math.max(1, pointCount - 1) : 0;
  let best: BufferPoint | undefined;
  for (const point of curve) {
    if (!best || Math.abs(point.position - wanted) < Math.abs(best.position - wanted)) best = point;
  }
  return best;
}

/** The rectangle of a buffer: points across, bytes of its allocation up. */
export function blockOf(
  life: BufferLifetime,
  pointCount: number,
  heapBytes: number,
  size: Size,
): { x: number; y: number; width: number; height: number } {
  const x = xOf(life.start, pointCount, size.width);
  const scale = heapBytes > 0 ? size.height / heapBytes : 0;
  const height = Math.max(0.5, life.bytes * scale);
  return {
    x: round(x),
    y: round(size.height - life.offset_bytes * scale - height),
    width: round(Math.max(0.75, xOf(life.end, pointCount, size.width) - x)),
    height: round(height),
  };
}

const round = (value: number) => Math.round(value * 100) / 100;
