/**
 * Positions of the boxes of a flame graph: frames are given depth first with their weights; the
 * outermost are at the top, children side by side below their parent. Pure.
 */

/** One frame, as given by the view. */
export interface FlameFrame {
  /** The text in the box. */
  title: string;
  /** Level, 0 for the outermost. */
  depth: number;
  /** Its width, in the quantity that the graph shows; at least the sum of its children's. */
  weight: number;
  /** Its color and opacity (0 to 1); their meaning is up to the view. */
  color: string;
  strength: number;
}

export interface FlameTree {
  frames: readonly FlameFrame[];
  /** Position of the parent, -1 for the outermost. */
  parents: readonly number[];
  /** One past the position of the last frame below this one. */
  ends: readonly number[];
  /** Where a frame begins, in units of weight from the left edge. */
  starts: readonly number[];
  /** Weight of all outermost frames. */
  total: number;
}

export function buildFlame(frames: readonly FlameFrame[]): FlameTree {
  const parents: number[] = [];
  const starts: number[] = [];
  const ends: number[] = frames.map(() => frames.length);
  const path: number[] = [];
  /** Where the next child of each open frame begins; the first entry is for the outermost. */
  const nexts: number[] = [0];
  frames.forEach((frame, index) => {
    for (const closed of path.splice(frame.depth)) ends[closed] = index;
    nexts.length = frame.depth + 1;
    const start = nexts[frame.depth] ?? 0;
    parents.push(path[frame.depth - 1] ?? -1);
    starts.push(start);
    nexts[frame.depth] = start + frame.weight;
    nexts[frame.depth + 1] = start;
    path[frame.depth] = index;
  });
  return { frames, parents, ends, starts, total: nexts[0] ?? 0 };
}

/** A box on the canvas, in CSS pixels from the left edge and in rows. */
export interface Box {
  index: number;
  left: number;
  width: number;
  row: number;
  /** Whether it contains the frame that is zoomed to; it is then as wide as the graph. */
  isAncestor: boolean;
}

/** Boxes narrower than this share a pixel with others. */
const LEAST_WIDTH = 0.4;

/**
 * The boxes of the rows from `firstRow` to `lastRow`. When zoomed to a frame, its ancestors stay above
 * it and frames next to it are left out. Of boxes too narrow to see, one per pixel is kept.
 */
export function boxesOf(
  tree: FlameTree,
  zoom: number,
  width: number,
  firstRow = 0,
  lastRow = Infinity,
): Box[] {
  const boxes: Box[] = [];
  const root = tree.frames[zoom];
  const from = root ? (tree.starts[zoom] ?? 0) : 0;
  const scale = width / Math.max(1e-9, root ? root.weight : tree.total);
  const first = root ? zoom : 0;
  const last = root ? (tree.ends[zoom] ?? 0) : tree.frames.length;
  for (let at = root ? (tree.parents[zoom] ?? -1) : -1; at >= 0; at = tree.parents[at] ?? -1) {
    const row = tree.frames[at]?.depth ?? 0;
    if (row >= firstRow && row <= lastRow) {
      boxes.push({ index: at, left: 0, width, row, isAncestor: true });
    }
  }
  boxes.reverse();
  const filledTo: number[] = [];
  for (let index = first; index < last; index += 1) {
    const frame = tree.frames[index];
    if (!frame || frame.depth > lastRow) continue;
    const left = ((tree.starts[index] ?? 0) - from) * scale;
    const wide = frame.weight * scale;
    if (wide < LEAST_WIDTH) {
      const pixel = Math.floor(left);
      // The pixel already has a box; the frames below this one are narrower still.
      if (pixel < (filledTo[frame.depth] ?? -1)) {
        index = (tree.ends[index] ?? index + 1) - 1;
        continue;
      }
      filledTo[frame.depth] = pixel + 1;
    }
    if (frame.depth < firstRow || frame.weight <= 0) continue;
    boxes.push({ index, left, width: wide, row: frame.depth, isAncestor: false });
  }
  return boxes;
}

/** How many rows the frame zoomed to takes, with all above and below it. */
export function rowCount(tree: FlameTree, zoom: number): number {
  const first = tree.frames[zoom] ? zoom : 0;
  const last = tree.frames[zoom] ? (tree.ends[zoom] ?? 0) : tree.frames.length;
  let deepest = -1;
  for (let index = first; index < last; index += 1) {
    const frame = tree.frames[index];
    if (frame && frame.weight > 0) deepest = Math.max(deepest, frame.depth);
  }
  return deepest + 1;
}

/** The frame at a point, -1 for none. */
export function frameAt(
  tree: FlameTree,
  zoom: number,
  width: number,
  x: number,
  row: number,
): number {
  const found = boxesOf(tree, zoom, width, row, row).filter(
    (box) => box.left <= x && x < box.left + Math.max(1, box.width),
  );
  return found[found.length - 1]?.index ?? -1;
}

/** From the outermost frame down to this one. */
export function pathTo(tree: FlameTree, index: number): number[] {
  const path: number[] = [];
  for (let at = index; at >= 0; at = tree.parents[at] ?? -1) path.unshift(at);
  return path;
}

export type Move = 'parent' | 'child' | 'previous' | 'next';

/** The frame that an arrow key moves to; the same one if there is none in that direction. */
export function moveFrom(tree: FlameTree, index: number, move: Move): number {
  const frame = tree.frames[index];
  if (!frame) return tree.frames.length > 0 ? 0 : -1;
  const parent = tree.parents[index] ?? -1;
  if (move === 'parent') return parent >= 0 ? parent : index;
  if (move === 'child') {
    const child = tree.frames[index + 1];
    return child && child.depth === frame.depth + 1 && child.weight > 0 ? index + 1 : index;
  }
  const from = parent >= 0 ? parent + 1 : 0;
  const to = parent >= 0 ? (tree.ends[parent] ?? 0) : tree.frames.length;
  let before = index;
  for (let at = from; at < to; at = tree.ends[at] ?? to) {
    if ((tree.frames[at]?.weight ?? 0) <= 0) continue;
    if (move === 'previous' && at === index) return before;
    if (move === 'next' && before === index && at > index) return at;
    before = at;
  }
  return index;
}

/** Frames that match, and their total weight, without counting nested matches twice. */
export function matchesOf(
  tree: FlameTree,
  isMatch: (index: number) => boolean,
): { found: ReadonlySet<number>; weight: number } {
  const found = new Set<number>();
  let weight = 0;
  let coveredTo = 0;
  tree.frames.forEach((frame, index) => {
    if (!isMatch(index)) return;
    found.add(index);
    if (index >= coveredTo) {
      weight += frame.weight;
      coveredTo = tree.ends[index] ?? index + 1;
    }
  });
  return { found, weight };
}
