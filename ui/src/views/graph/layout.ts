/**
 * Positions of nodes, opened fusions and edges. An opened fusion is laid out separately and then placed
 * as one box; edges from outside end at the instruction inside. Does not use the DOM.
 */
import { layered, type Layered, type Link, type Point } from './layered';

export type { Point } from './layered';

/** A node to be placed, with its size. */
export interface SizedNode {
  id: number;
  width: number;
  height: number;
  cluster: number | null;
}

export interface LayoutInput {
  nodes: SizedNode[];
  edges: Link[];
  clusters: number[];
}

export interface Box extends Point {
  width: number;
  height: number;
}

/** Boxes by their upper left corner; the points of each edge, in the order of the input. */
export interface LayoutOutput {
  nodes: Record<number, Box>;
  clusters: Record<number, Box>;
  edges: (Point[] | null)[];
  width: number;
  height: number;
}

const MARGIN = 16;
const INSET = 12;
const TITLE = 20;

export function layOut(input: LayoutInput): LayoutOutput {
  const opened = new Set(
    input.clusters.filter((cluster) => input.nodes.some((node) => node.cluster === cluster)),
  );
  const clusterOf = new Map<number, number>();
  for (const { id, cluster } of input.nodes) {
    if (cluster !== null && opened.has(cluster)) clusterOf.set(id, cluster);
  }
  const isNode = new Set(input.nodes.filter(({ id }) => !opened.has(id)).map(({ id }) => id));
  // An edge to an opened fusion whose inner end is not shown ends at the box.
  const outerOf = (id: number) => clusterOf.get(id) ?? id;
  const isWithin = (edge: Link) =>
    clusterOf.has(edge.from) && clusterOf.get(edge.from) === clusterOf.get(edge.to);

  const inner = new Map<number, { layout: Layered; edges: Link[] }>();
  for (const cluster of opened) {
    const edges = input.edges.filter(
      (edge) => isWithin(edge) && clusterOf.get(edge.from) === cluster,
    );
    const items = input.nodes.filter((node) => clusterOf.get(node.id) === cluster);
    inner.set(cluster, { layout: layered(items, edges), edges });
  }
  const outerItems = input.nodes
    .filter((node) => !clusterOf.has(node.id) && !opened.has(node.id))
    .concat(
      [...inner].map(([id, { layout }]) => ({
        id,
        width: layout.width + 2 * INSET,
        height: layout.height + INSET + TITLE,
        cluster: null,
      })),
    );
  const outerLinks = input.edges
    .filter((edge) => !isWithin(edge))
    .map((edge) => ({ from: outerOf(edge.from), to: outerOf(edge.to) }));
  const outer = layered(outerItems, outerLinks);

  const output: LayoutOutput = {
    nodes: {},
    clusters: {},
    edges: [],
    width: outer.width + 2 * MARGIN,
    height: outer.height + 2 * MARGIN,
  };
  for (const { id, width, height } of outerItems) {
    const middle = outer.middles.get(id) ?? { x: 0, y: 0 };
    const box = boxAround(middle, width, height, MARGIN, MARGIN);
    if (isNode.has(id)) output.nodes[id] = box;
    else output.clusters[id] = box;
  }
  for (const node of input.nodes) {
    const cluster = clusterOf.get(node.id);
    const middle =
      cluster === undefined ? undefined : inner.get(cluster)?.layout.middles.get(node.id);
    const around = cluster === undefined ? undefined : output.clusters[cluster];
    if (middle && around) {
      const box = boxAround(middle, node.width, node.height, around.x + INSET, around.y + TITLE);
      output.nodes[node.id] = box;
    }
  }
  let outerIndex = 0;
  output.edges = input.edges.map((edge) => {
    const cluster = isWithin(edge) ? clusterOf.get(edge.from) : undefined;
    const own = cluster === undefined ? undefined : inner.get(cluster);
    const around = cluster === undefined ? undefined : output.clusters[cluster];
    const bends =
      own && around
        ? shifted(own.layout.bends[own.edges.indexOf(edge)], around.x + INSET, around.y + TITLE)
        : shifted(outer.bends[outerIndex++], MARGIN, MARGIN);
    const from = output.nodes[edge.from] ?? output.clusters[edge.from];
    const to = output.nodes[edge.to] ?? output.clusters[edge.to];
    if (!from || !to || from === to) return null;
    return [
      { x: from.x + from.width / 2, y: from.y + from.height },
      ...bends,
      { x: to.x + to.width / 2, y: to.y },
    ];
  });
  return output;
}

const boxAround = (middle: Point, width: number, height: number, dx: number, dy: number): Box => ({
  x: middle.x - width / 2 + dx,
  y: middle.y - height / 2 + dy,
  width,
  height,
});

const shifted = (points: readonly Point[] | undefined, dx: number, dy: number): Point[] =>
  (points ?? []).map(({ x, y }) => ({ x: x + dx, y: y + dy }));

/** A smooth path through the points of an edge, vertical at both ends. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${round(first.x)},${round(first.y)}`;
  let before = first;
  for (const point of rest) {
    const middle = round((before.y + point.y) / 2);
    const [from, to] = [round(before.x), round(point.x)];
    path += `C${from},${middle} ${to},${middle} ${to},${round(point.y)}`;
    before = point;
  }
  return path;
}

const round = (value: number) => Math.round(value * 10) / 10;
