/** Turns a timeline of memory into what its chart shows. Pure. */
import type { MemoryTimeline } from '../../wire/generated/MemoryTimeline';

export interface Extent {
  startPs: number;
  endPs: number;
  /** Bytes at the top of the picture. */
  topBytes: number;
}

/** Memory taken at each point: in use plus reserved. */
export function takenOf(line: MemoryTimeline): number[] {
  return line.in_use_bytes.map((bytes, index) => bytes + (line.reserved_bytes[index] ?? 0));
}

/** First and last time, and the top of the chart, with room above the highest point. */
export function extentOf(line: MemoryTimeline): Extent {
  const startPs = line.times_ps[0] ?? 0;
  const endPs = line.times_ps[line.times_ps.length - 1] ?? startPs + 1;
  const highest = takenOf(line).reduce((most, bytes) => Math.max(most, bytes), 1);
  return { startPs, endPs: Math.max(endPs, startPs + 1), topBytes: highest * 1.08 };
}
