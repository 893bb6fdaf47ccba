/** Turns the tree of regions into frames of the flame graph: weights, colors, text. Pure. */
import type { FlameFrame } from '../../widgets/flame/layout';
import type { RegionRow } from '../../wire/generated/RegionRow';

/** Colors by kind; the legend shows the same. */
export const KIND_COLORS = {
  annotation: 'phase-forward',
  python: 'class-python',
  runtime: 'text-faint',
  other: 'text-faint',
} as const;

export type Kind = keyof typeof KIND_COLORS;

export const kindOf = (row: RegionRow): Kind =>
  row.kind in KIND_COLORS ? (row.kind as Kind) : 'other';

/** `main  train.py:31`; for what is not listed, the number of stacks. */
export function titleOf(row: RegionRow): string {
  if (row.kind === 'other') return `(other: ${row.name_count} stacks)`;
  return row.source ? `${row.name}  ${row.source}` : row.name;
}

/** A frame is as wide as its total time. */
export function framesOf(
  rows: readonly RegionRow[],
  colorOf: (kind: Kind) => string,
): FlameFrame[] {
  return rows.map((row) => ({
    title: titleOf(row),
    depth: row.depth,
    weight: row.total_ps,
    color: colorOf(kindOf(row)),
    strength: row.kind === 'annotation' ? 0.55 : 0.24 + 0.2 * shadeOf(row.source),
  }));
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

/** The path of every row, outermost first, which identifies a stack in both sessions. */
export function pathsOf(rows: readonly RegionRow[]): string[] {
  const path: string[] = [];
  return rows.map((row) => {
    path.length = row.depth;
    const above = path[row.depth - 1] ?? '';
    const own = `${above};${identityOf(row)}`;
    path[row.depth] = own;
    return own;
  });
}

/** Identifies a region in both sessions: lines move, files and names stay. */
export const identityOf = (row: RegionRow) =>
  `${row.kind}/${row.source.replace(/:\d+$/, '')}/${row.name}`;
