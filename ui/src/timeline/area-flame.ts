/** Merged stacks of an area as frames of a flame graph and as rows of a table. Pure. */
import type { FlameFrame } from '../widgets/flame/layout';
import type { FlameFrameReport } from '../wire/generated/FlameFrameReport';
import { identityOf } from './pivot';

/** Frames as wide as their time; tracks are pale. */
export function framesOf(
  frames: readonly FlameFrameReport[],
  colorOf: (className: string) => string,
): FlameFrame[] {
  return frames.map((frame) => ({
    title: frame.name,
    depth: frame.depth,
    weight: frame.total_ps,
    color: colorOf(frame.class),
    strength: frame.class === '' ? 0.25 : 0.7,
  }));
}

/** A frame with the path that identifies it in both sessions. */
export interface FlameLine extends FlameFrameReport {
  path: string;
}

/**
 * The frames as lines, each with the names of those around it. Sessions give other ids to programs and
 * threads: threads of a pool, such as `tf_XLAEigen/58252164`, are numbered in the order of the report,
 * largest first.
 */
export function linesOf(frames: readonly FlameFrameReport[]): FlameLine[] {
  const open: string[] = [];
  const pools = new Map<string, number>();
  return frames.map((frame) => {
    open.length = frame.depth;
    const path = `${open[frame.depth - 1] ?? ''};${nameOf(frame, pools)}`;
    open[frame.depth] = path;
    return { ...frame, path };
  });
}

function nameOf(frame: FlameFrameReport, pools: Map<string, number>): string {
  const pool = frame.class === '' ? /^(.*)\/-?\d+$/.exec(frame.name)?.[1] : undefined;
  if (pool === undefined) return identityOf(frame.name);
  if (frame.depth > 0) return pool;
  const number = (pools.get(pool) ?? 0) + 1;
  pools.set(pool, number);
  return `${pool}#${number}`;
}
