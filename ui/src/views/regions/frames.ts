/** From the tree of regions to the boxes of the flame graph: weights, colors, words. Pure. */
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

/** `main  train.py:31`; of what is not listed, how much there is. */
export function titleOf(row: RegionRow): string {
  if (row.kind === 'other') return `(other: ${row.name_count} stacks)`;
  return row.source ? `${row.name}  ${row.source}` : row.name;
}

/** A node is as wide as what was counted at or below it. */
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

/** Files differ in shade, so that a change of file is seen. */
function shadeOf(source: string): number {
  const file = source.replace(/:\d+$/, '');
  let hash = 7;
  for (let index = 0; index < file.length; index += 1) {
    hash = (hash * 31 + file.charCodeAt(index)) % 1009;
  }
  return (hash % 5) / 4;
}

/** Name and source of every row from the outermost in, which tells stacks of two sessions apart. */
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

/** What tells a region from others in both sessions: lines move, files and names stay. */
export const identityOf = (row: RegionRow) =>
  `${row.kind}/${row.source.replace(/:\d+$/, '')}/${row.name}`;
