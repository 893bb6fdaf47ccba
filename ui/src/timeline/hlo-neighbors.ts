/** The operands and users of the selected op, one hop in the program. Pure. */
import type { GraphNode } from '../wire/generated/GraphNode';
import type { GraphReport } from '../wire/generated/GraphReport';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import { programId } from './program-id';

/** More are counted only: a value may have thousands of users. */
const MOST_NODES = 60;

export interface Neighbor {
  node: GraphNode;
  /** The value that passes between the two; empty for an order without a value. */
  shape: string;
}

export interface Neighbors {
  operands: readonly Neighbor[];
  users: readonly Neighbor[];
  /** How many of each are not among them. */
  hiddenOperands: number;
  hiddenUsers: number;
}

/** What to ask `graph` about the op of a slice: one hop, with times of its step on its device. */
export function neighborQuery(
  report: TimelineReport,
  { op, program, step, slice }: Pick<SliceDetails, 'op' | 'program' | 'step' | 'slice'>,
): Record<string, string | number> | null {
  const id = programId(program);
  if (!op || id === undefined) return null;
  const group = report.groups.find(({ tracks }) => tracks.some(({ track }) => track === slice.track));
  const device = group?.device_index ?? null;
  return {
    op,
    program: id,
    radius: 1,
    'max-nodes': MOST_NODES,
    'merge-fusions': 'true',
    ...(step !== null && { steps: step }),
    ...(device !== null && { device }),
  };
}

/** The neighbors of the op in the center; null without one. */
export function neighborsOf({ nodes, edges }: GraphReport): Neighbors | null {
  const center = nodes.find(({ is_center }) => is_center);
  if (!center) return null;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ordered = [...edges].sort((one, other) => one.operand - other.operand);
  const along = (own: 'from_id' | 'to_id', other: 'from_id' | 'to_id'): Neighbor[] => {
    const found = new Map<number, Neighbor>();
    for (const edge of ordered) {
      const node = byId.get(edge[other]);
      if (edge[own] !== center.id || !node || found.has(node.id)) continue;
      found.set(node.id, { node, shape: edge.is_control ? '' : edge.shape });
    }
    return [...found.values()];
  };
  return {
    operands: along('to_id', 'from_id'),
    users: along('from_id', 'to_id'),
    hiddenOperands: center.hidden_operands,
    hiddenUsers: center.hidden_users,
  };
}
