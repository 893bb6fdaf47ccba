/** The flattened tree of a report: parents, visible nodes, and nodes to open at first. Pure. */
/** A row of a flattened tree. */
export interface TreeRow {
  /** Level, 0 for roots. */
  depth: number;
  /** Direct children, shown or not. */
  child_count: number;
  /** The weight of a node. */
  total_ps: number;
}

export interface Node<Row extends TreeRow> {
  row: Row;
  /** Position in the report. */
  index: number;
  /** Position of the parent, -1 for roots. */
  parent: number;
}

/** About as many rows as fit on a screen. */
const ROWS_AT_FIRST = 28;

export function buildTree<Row extends TreeRow>(rows: readonly Row[]): Node<Row>[] {
  const path: number[] = [];
  return rows.map((row, index) => {
    path.length = Math.min(path.length, row.depth);
    const parent = row.depth > 0 ? (path[row.depth - 1] ?? -1) : -1;
    path[row.depth] = index;
    return { row, index, parent };
  });
}

/**
 * Nodes to show: those whose ancestors are all open. With a filter: those that match and their
 * ancestors, even if folded.
 */
export function visibleNodes<Row extends TreeRow>(
  tree: readonly Node<Row>[],
  open: ReadonlySet<number>,
  matching: ReadonlySet<number> | null,
): Node<Row>[] {
  if (matching) {
    const shown = new Set<number>();
    for (const index of matching) {
      for (let at = index; at >= 0 && !shown.has(at); at = tree[at]?.parent ?? -1) shown.add(at);
    }
    return tree.filter((node) => shown.has(node.index));
  }
  const isVisible: boolean[] = [];
  return tree.filter((node) => {
    const isShown = node.parent < 0 || (isVisible[node.parent] === true && open.has(node.parent));
    isVisible[node.index] = isShown;
    return isShown;
  });
}

/** The nodes to open at first: the heaviest, until the screen is full. */
export function worthOpening<Row extends TreeRow>(tree: readonly Node<Row>[]): Set<number> {
  const open = new Set<number>();
  let shown = tree.filter((node) => node.parent < 0).length;
  const byWeight = tree
    .filter((node) => node.row.child_count > 0)
    .sort((one, other) => other.row.total_ps - one.row.total_ps || one.row.depth - other.row.depth);
  for (const node of byWeight) {
    if (node.parent >= 0 && !open.has(node.parent)) continue;
    if (shown + node.row.child_count > ROWS_AT_FIRST && node.row.child_count > 1) continue;
    open.add(node.index);
    shown += node.row.child_count;
  }
  return open;
}
