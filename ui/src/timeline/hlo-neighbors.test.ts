import { expect, test } from 'vitest';

import type { GraphEdge } from '../wire/generated/GraphEdge';
import type { GraphNode } from '../wire/generated/GraphNode';
import type { GraphReport } from '../wire/generated/GraphReport';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import { neighborQuery, neighborsOf } from './hlo-neighbors';

const node = (id: number, name: string, is_center = false) =>
  ({ id, name, is_center, hidden_operands: 0, hidden_users: is_center ? 4 : 0 }) as GraphNode;
const edge = (from_id: number, to_id: number, operand: number, is_control = false) =>
  ({ from_id, to_id, operand, shape: `f32[${from_id}]`, is_control }) as GraphEdge;
const graph = (nodes: GraphNode[], edges: GraphEdge[]) => ({ nodes, edges }) as GraphReport;

test('operands come in their order, each once; users follow', () => {
  const found = neighborsOf(
    graph(
      [node(3, 'dot', true), node(1, 'a'), node(2, 'b'), node(4, 'tanh'), node(5, 'copy')],
      [edge(2, 3, 1), edge(1, 3, 0), edge(1, 3, 2), edge(3, 4, 0), edge(3, 5, 0, true), edge(1, 2, 0)],
    ),
  )!;
  expect(found.operands.map((one) => [one.node.name, one.shape])).toEqual([
    ['a', 'f32[1]'],
    ['b', 'f32[2]'],
  ]);
  expect(found.users.map((one) => [one.node.name, one.shape])).toEqual([
    ['tanh', 'f32[3]'],
    ['copy', ''],
  ]);
  expect([found.hiddenOperands, found.hiddenUsers]).toEqual([0, 4]);
});

test('without the op there are no neighbors', () => {
  expect(neighborsOf(graph([node(1, 'a')], []))).toBeNull();
});

test('times are asked of the step and the device of the slice', () => {
  const report = {
    groups: [{ device_index: 2, tracks: [{ track: 7 }] }],
  } as unknown as TimelineReport;
  const slice = { track: 7, lane: 0, index: 1 };
  const details = { op: 'dot.1', program: 'jit_step(12)', step: 3, slice };
  expect(neighborQuery(report, details)).toMatchObject({
    op: 'dot.1',
    program: '12',
    radius: 1,
    steps: 3,
    device: 2,
  });
  expect(neighborQuery(report, { ...details, step: null })).not.toHaveProperty('steps');
  expect(neighborQuery(report, { ...details, op: null })).toBeNull();
});
