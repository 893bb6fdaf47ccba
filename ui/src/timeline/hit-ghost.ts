/** What is under a point in the part of a lane that shows the step laid over another one. */
import { hitLane, laneUnder, REACH_PX, rowUnder } from './hit';
import { ghostHeight } from './overlay';
import { rowTop, type Hit, type Scene } from './scene';

/** The slice of the other step under a point, in the times and on the tracks of its session. */
export function hitGhost(scene: Scene, x: number, y: number): Hit | null {
  const { ghost, geometry, layout, viewport } = scene;
  const row = ghost && rowUnder(scene, y);
  if (!row || row.kind !== 'track' || row.isCounter) return null;
  const lane = laneUnder(scene, row, y);
  if (lane < 0 || lane >= row.laneCount) return null;
  // A slice leaves its last pixel empty.
  const foot = rowTop(geometry, row) + (lane + 1) * layout.laneHeight - 1;
  if (y < foot - ghostHeight(layout.laneHeight) || y > foot) return null;
  const timePs = viewport.timeOfPx(x);
  const span = ghost.spanOn(row.group.name);
  const track = ghost.trackOf(row);
  if (!span || track === null || timePs < span.startPs || timePs >= span.endPs) return null;
  const reachPs = REACH_PX * viewport.psPerPx;
  return hitLane(ghost.segments(row), row, lane, timePs + ghost.shiftPs, reachPs, track);
}
