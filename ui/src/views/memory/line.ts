/** From a timeline of memory to the points of a step line, in shares of the picture. */
import type { MemoryTimeline } from '../../wire/generated/MemoryTimeline';

export interface Extent {
  startPs: number;
  endPs: number;
  /** Bytes at the top of the picture. */
  topBytes: number;
}

/** What was taken at each point: handed out and set aside. */
export function takenOf(line: MemoryTimeline): number[] {
  return line.in_use_bytes.map((bytes, index) => bytes + (line.reserved_bytes[index] ?? 0));
}

/** First and last time, and room above the highest point. */
export function extentOf(line: MemoryTimeline): Extent {
  const startPs = line.times_ps[0] ?? 0;
  const endPs = line.times_ps[line.times_ps.length - 1] ?? startPs + 1;
  const highest = takenOf(line).reduce((most, bytes) => Math.max(most, bytes), 1);
  return { startPs, endPs: Math.max(endPs, startPs + 1), topBytes: highest * 1.08 };
}

/** The path of a step line: a value holds until the next. */
export function stepPath(
  times: readonly number[],
  values: readonly number[],
  extent: Extent,
  width: number,
  height: number,
): string {
  const x = (time: number) =>
    ((time - extent.startPs) / (extent.endPs - extent.startPs)) * width;
  const y = (value: number) => height - (value / extent.topBytes) * height;
  const pieces: string[] = [];
  times.forEach((time, index) => {
    const value = values[index] ?? 0;
    const at = x(time).toFixed(1);
    pieces.push(index === 0 ? `M${at},${y(value).toFixed(1)}` : `H${at}V${y(value).toFixed(1)}`);
  });
  return pieces.join('');
}

/** The point that holds at a time: the last one not after it; -1 before the first. */
export function pointAt(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Where the picture has lines across: three to six round numbers of bytes below the top. */
export function levelsOf(topBytes: number): number[] {
  if (!(topBytes > 0)) return [];
  const unit = 1024 ** Math.floor(Math.log(topBytes) / Math.log(1024));
  const wanted = topBytes / unit / 6;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = unit * power * ([1, 2, 5].find((times) => times * power >= wanted) ?? 10);
  const levels = [];
  for (let level = step; level < topBytes * 0.98; level += step) levels.push(level);
  return levels;
}
