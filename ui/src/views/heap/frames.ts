/** Turns the tree of a report into frames of the flame graph: weights, colors, text. Pure. */
import type { HeapFrameRow } from '../../wire/generated/HeapFrameRow';
import type { FlameFrame } from '../../widgets/flame/layout';

export type Measure = 'bytes' | 'allocations';

/** What a frame holds in one measure, and how it changed. */
export interface Held {
  now: number;
  change: number | null;
  own: number;
  ownChange: number | null;
}

export function heldBy(row: HeapFrameRow, by: Measure): Held {
  return by === 'bytes'
    ? {
        now: row.total_bytes,
        change: row.change_bytes,
        own: row.self_bytes,
        ownChange: row.change_self_bytes,
      }
    : {
        now: row.total_allocations,
        change: row.change_allocations,
        own: row.self_allocations,
        ownChange: row.change_self_allocations,
      };
}

/**
 * The weights of frames: what each holds. In a comparison, the self value of a frame is the larger one
 * of both snapshots, so that freed memory keeps its place.
 */
export function weightsOf(rows: readonly HeapFrameRow[], by: Measure): number[] {
  const weights = rows.map((row) => {
    const { own, ownChange } = heldBy(row, by);
    return Math.max(0, own, own - (ownChange ?? 0));
  });
  // Children come after their parents: from the last to the first, each adds itself to its parent.
  const path: number[] = [];
  const parents = rows.map((row, index) => {
    path.length = row.depth;
    const parent = path[row.depth - 1] ?? -1;
    path[row.depth] = index;
    return parent;
  });
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const parent = parents[index] ?? -1;
    if (parent >= 0) weights[parent] = (weights[parent] ?? 0) + (weights[index] ?? 0);
  }
  return weights;
}

/** Colors by meaning; the legend shows the same. */
export const COLORS = {
  own: 'phase-forward',
  internal: 'text-faint',
  grown: 'change-worse',
  shrunk: 'change-better',
  same: 'text-faint',
} as const;

export type Meaning = keyof typeof COLORS;

/** What a frame's color means, and how strong it is. */
export function meaningOf(
  row: HeapFrameRow,
  by: Measure,
  largestChange: number,
): { meaning: Meaning; strength: number } {
  const { change } = heldBy(row, by);
  if (change === null) {
    return row.is_internal
      ? { meaning: 'internal', strength: 0.38 }
      : { meaning: 'own', strength: 0.3 + 0.25 * shadeOf(row.source) };
  }
  if (change === 0) return { meaning: 'same', strength: 0.22 };
  const strength = 0.2 + 0.4 * Math.sqrt(Math.abs(change) / Math.max(1, largestChange));
  return { meaning: change > 0 ? 'grown' : 'shrunk', strength: Math.min(0.6, strength) };
}

/** A shade per file, so that a change of file is visible. */
function shadeOf(source: string): number {
  const file = source.replace(/:\d+$/, '');
  let hash = 7;
  for (let index = 0; index < file.length; index += 1) {
    hash = (hash * 31 + file.charCodeAt(index)) % 1009;
  }
  return (hash % 5) / 4;
}

export function framesOf(
  rows: readonly HeapFrameRow[],
  by: Measure,
  colorOf: (meaning: Meaning) => string,
): FlameFrame[] {
  const weights = weightsOf(rows, by);
  const changes = rows.map((row) => Math.abs(heldBy(row, by).change ?? 0));
  const largest = changes.reduce((one, other) => Math.max(one, other), 0);
  return rows.map((row, index) => {
    const { meaning, strength } = meaningOf(row, by, largest);
    return {
      title: titleOf(row),
      depth: row.depth,
      weight: weights[index] ?? 0,
      color: colorOf(meaning),
      strength,
    };
  });
}

/** `load_batch  train.py:24` */
export function titleOf(row: HeapFrameRow): string {
  const file = row.source.split(/[/\\]/).pop() ?? '';
  return file ? `${row.name}  ${file}` : row.name;
}

/** The text with a plus sign if the value is positive: `+2 MiB`. */
export function signed(text: string, value: number): string {
  return value > 0 ? `+${text}` : text;
}
