/** Merged stacks of an area as frames of a flame graph and as rows of a table. Pure. */
import type { FlameFrame } from '../widgets/flame/layout';
import type { FlameFrameReport } from '../wire/generated/FlameFrameReport';

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

/** The frames as lines, each with the names of those around it. */
export function linesOf(frames: readonly FlameFrameReport[]): FlameLine[] {
  const open: string[] = [];
  return frames.map((frame) => {
    open.length = frame.depth;
    const path = `${open[frame.depth - 1] ?? ''};${frame.name}`;
    open[frame.depth] = path;
    return { ...frame, path };
  });
}
