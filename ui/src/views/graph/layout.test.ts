import { describe, expect, it } from 'vitest';

import { layOut, pathOf, type Box, type LayoutInput } from './layout';

const node = (id: number, cluster: number | null = null) => ({
  id,
  width: 100,
  height: 40,
  cluster,
});

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function expectApart(boxes: Box[]): void {
  boxes.forEach((box, index) => {
    for (const other of boxes.slice(index + 1)) expect(overlap(box, other)).toBe(false);
  });
}

describe('layOut', () => {
  it('puts producers above their users', () => {
    const placed = layOut({
      nodes: [node(1), node(2), node(3), node(4)],
      edges: [
        { from: 1, to: 2 },
        { from: 2, to: 3 },
        { from: 2, to: 3 },
        { from: 1, to: 3 },
        { from: 4, to: 3 },
      ],
      clusters: [],
    });
    const y = (id: number) => placed.nodes[id]!.y;
    expect(y(1)).toBeLessThan(y(2));
    expect(y(2)).toBeLessThan(y(3));
    // A source is placed directly above its user, not at the top.
    expect(y(4)).toBe(y(2));
    // The long edge bends around the node between.
    expect(placed.edges[3]).toHaveLength(3);
    expectApart(Object.values(placed.nodes));
  });

  it('draws an opened fusion around its instructions, where edges end', () => {
    const placed = layOut({
      nodes: [node(1), node(2), node(20, 2), node(21, 2), node(3)],
      edges: [
        { from: 1, to: 20 },
        { from: 20, to: 21 },
        { from: 21, to: 3 },
      ],
      clusters: [2],
    });
    const box = placed.clusters[2]!;
    for (const id of [20, 21]) {
      const inner = placed.nodes[id]!;
      expect(inner.x).toBeGreaterThanOrEqual(box.x);
      expect(inner.y).toBeGreaterThanOrEqual(box.y);
      expect(inner.x + inner.width).toBeLessThanOrEqual(box.x + box.width);
      expect(inner.y + inner.height).toBeLessThanOrEqual(box.y + box.height);
    }
    expect(placed.nodes[2]).toBeUndefined();
    const inner = placed.nodes[20]!;
    expect(placed.edges[0]?.at(-1)).toEqual({ x: inner.x + 50, y: inner.y });
    expectApart([box, placed.nodes[1]!, placed.nodes[3]!]);
  });

  it('handles edges to missing nodes, cycles, and an empty graph', () => {
    const empty = layOut({ nodes: [], edges: [{ from: 1, to: 2 }], clusters: [7] });
    expect(empty.edges).toEqual([null]);
    const cycle = layOut({
      nodes: [node(1), node(2)],
      edges: [
        { from: 1, to: 2 },
        { from: 2, to: 1 },
        { from: 1, to: 1 },
      ],
      clusters: [],
    });
    expectApart(Object.values(cycle.nodes));
  });

  it('lays out hundreds of nodes without overlaps', () => {
    const nodes = Array.from({ length: 300 }, (_, id) => node(id));
    const edges = nodes.slice(1).flatMap(({ id }) => [
      { from: Math.floor((id - 1) / 3), to: id },
      { from: Math.max(0, id - 7), to: id },
    ]);
    const input: LayoutInput = { nodes, edges, clusters: [] };
    const placed = layOut(input);
    expectApart(Object.values(placed.nodes));
  });

  it('draws a simple chain as a straight line', () => {
    const nodes = [1, 2, 3, 4].map((id) => node(id));
    const edges = [1, 2, 3].map((id) => ({ from: id, to: id + 1 }));
    const placed = layOut({ nodes, edges, clusters: [] });
    const xs = nodes.map(({ id }) => placed.nodes[id]!.x);
    expect(new Set(xs).size).toBe(1);
  });
});

describe('pathOf', () => {
  it('goes through every point', () => {
    expect(pathOf([])).toBe('');
    const path = pathOf([
      { x: 0, y: 0 },
      { x: 10, y: 20 },
    ]);
    expect(path).toBe('M0,0C0,10 10,10 10,20');
  });
});
