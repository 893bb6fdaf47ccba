/**
 * How deep tracks are in the window, so that rows are no higher than what they show. Known only for
 * tracks whose tiles are loaded; the others keep what was known before.
 */
import { rowsBetween, type TrackRow } from './layout';
import { scrolledHeight, type Scene } from './scene';
import { depthOf } from './segments';

/** The depths of the rows on the screen; null if all are as they were. */
export function measuredDepths(
  scene: Scene,
  before: ReadonlyMap<number, number>,
): Map<number, number> | null {
  const { geometry, layout, viewport, plan, selection, ghost } = scene;
  const bottom = geometry.scrollY + scrolledHeight(geometry);
  const [first, last] = rowsBetween(layout.rows, geometry.scrollY, bottom);
  const shown = [...layout.pinned, ...layout.rows.slice(first, last)];
  const changed = new Map<number, number>();
  for (const row of shown) {
    if (row.kind !== 'track' || row.isCounter) continue;
    const { track } = row.track;
    const depth = depthOf(plan.segments(track), viewport.startPs, viewport.endPs);
    if (depth === null) continue;
    const { shiftPs } = ghost ?? { shiftPs: 0 };
    const [fromPs, toPs] = [viewport.startPs + shiftPs, viewport.endPs + shiftPs];
    const other = ghost ? depthOf(ghost.segments(row), fromPs, toPs) : 0;
    if (other === null) continue;
    // The selected slice stays visible.
    const isSelected = selection?.ref.track === track;
    const needed = Math.max(1, depth, other, isSelected ? selection.ref.lane + 1 : 0);
    if (needed !== shownDepth(row, before)) changed.set(track, needed);
  }
  return changed.size > 0 ? new Map([...before, ...changed]) : null;
}

function shownDepth(row: TrackRow, depths: ReadonlyMap<number, number>): number {
  return depths.get(row.track.track) ?? row.track.lanes;
}
