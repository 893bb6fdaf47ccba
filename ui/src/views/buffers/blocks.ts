/** Buffers of a heap as rectangles: x is the schedule, y the offset in the allocation. Pure. */
import type { Frame } from '../../widgets/chart/frame';
import type { Place } from '../../widgets/chart/points';
import type { BufferLifetime } from '../../wire/generated/BufferLifetime';

export interface Block extends Place {
  width: number;
  height: number;
}

/** The rectangle of a buffer; small ones stay visible. */
export function blockOf(life: BufferLifetime, frame: Frame): Block {
  const x = frame.x(life.start);
  const bottom = frame.y(life.offset_bytes);
  const height = Math.max(0.5, bottom - frame.y(life.offset_bytes + life.bytes));
  return {
    x: round(x),
    y: round(bottom - height),
    width: round(Math.max(0.75, frame.x(life.end) - x)),
    height: round(height),
  };
}

/** The topmost buffer at a position; null if there is none. */
export function blockAt(
  lives: readonly BufferLifetime[],
  { x, y }: Place,
  frame: Frame,
): number | null {
  for (let index = lives.length - 1; index >= 0; index--) {
    const block = blockOf(lives[index] as BufferLifetime, frame);
    const isAcross = x >= block.x && x <= block.x + block.width;
    if (isAcross && y >= block.y && y <= block.y + block.height) return index;
  }
  return null;
}

const round = (value: number) => Math.round(value * 100) / 100;

/** A heap of a smaller share of the peak is not worth a picture: nearly all memory is elsewhere. */
const LEAST_HEAP_SHARE = 0.001;

export const isHeapDrawn = (heapBytes: number | null, peakBytes: number): boolean =>
  (heapBytes ?? 0) >= LEAST_HEAP_SHARE * peakBytes;
