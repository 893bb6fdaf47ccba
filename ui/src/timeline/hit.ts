/** What is under a point of the canvas. */
import type { TimelineStep } from '../wire/generated/TimelineStep';
import { rowAt, tracksOfRow, type Row, type TrackRow } from './layout';
import { refOf } from './merged-track';
import { firstGlyphAt, type Segment } from './segments';
import {
  MINIMAP_HEIGHT,
  rowTop,
  RULER_HEIGHT,
  scrolledTop,
  STEP_RULER_HEIGHT,
  type CounterHit,
  type Hit,
  type Scene,
} from './scene';
import { stepIndexAt } from './step-index';
import type { LaneTile } from './tile';

/** Pixels next to a narrow slice that still count as a hit. */
export const REACH_PX = 3;

/** The row at a height of the canvas. */
export function rowUnder(scene: Scene, y: number): Row | undefined {
  const { geometry, layout } = scene;
  if (y < geometry.headHeight || y >= geometry.height) return undefined;
  const top = scrolledTop(geometry);
  if (y < top) return rowAt(layout.pinned, y - geometry.headHeight);
  return rowAt(layout.rows, y - top + geometry.scrollY);
}

/** Lane of a track row at a height of the canvas. */
export function laneUnder({ geometry, layout }: Scene, row: TrackRow, y: number): number {
  return Math.floor((y - rowTop(geometry, row)) / layout.laneHeight);
}

/** The slice or merged slices under a point. */
export function hitSlice(scene: Scene, x: number, y: number): Hit | null {
  const row = rowUnder(scene, y);
  if (!row || row.kind !== 'track' || row.isCounter) return null;
  const lane = laneUnder(scene, row, y);
  if (lane < 0 || lane >= row.laneCount) return null;
  const timePs = scene.viewport.timeOfPx(x);
  const reachPs = REACH_PX * scene.viewport.psPerPx;
  return hitLane(scene.plan.segments(row.track.track), row, lane, timePs, reachPs);
}

/** The glyph of a lane at a time, else the nearest one within reach; `track` is the one of the tile. */
export function hitLane(
  segments: readonly Segment[],
  row: TrackRow,
  lane: number,
  timePs: number,
  reachPs: number,
  track = row.track.track,
): Hit | null {
  let best: Hit | null = null;
  let bestDistance = reachPs;
  for (const segment of segments) {
    const columns = segment.tile?.lanes[lane];
    if (!columns || segment.endPs < timePs - reachPs) continue;
    if (segment.startPs > timePs + reachPs) break;
    for (let i = firstGlyphAt(columns.startPs, timePs - reachPs); i < columns.glyphCount; i++) {
      const startPs = columns.startPs[i]!;
      if (startPs > timePs + reachPs) break;
      const endPs = startPs + columns.durationPs[i]!;
      const distance = Math.max(startPs - timePs, timePs - endPs, 0);
      if (distance < bestDistance || (distance === 0 && best === null)) {
        best = hitOf(row, track, lane, columns, i);
        bestDistance = distance;
      }
      if (distance === 0) return best;
    }
  }
  return best;
}

/** The counter sample under a point. */
export function hitCounter(scene: Scene, x: number, y: number): CounterHit | null {
  const row = rowUnder(scene, y);
  if (!row || row.kind !== 'track' || !row.isCounter) return null;
  const timePs = scene.viewport.timeOfPx(x);
  let found: CounterHit | null = null;
  for (const segment of scene.plan.segments(row.track.track)) {
    const counter = segment.tile?.counter;
    if (!counter || segment.startPs > timePs || counter.sampleCount === 0) continue;
    const i = firstGlyphAt(counter.timePs, timePs + 1e-6);
    if (counter.timePs[i]! > timePs) continue;
    found = {
      row,
      timePs: counter.timePs[i]!,
      minimum: counter.minimum[i]!,
      maximum: counter.maximum[i]!,
    };
  }
  return found;
}

/** The step on the ruler under a point. */
export function hitStep(scene: Scene, x: number, y: number): TimelineStep | null {
  const { geometry, steps, viewport } = scene;
  const top = MINIMAP_HEIGHT + RULER_HEIGHT;
  if (!geometry.hasStepRuler || y < top || y >= top + STEP_RULER_HEIGHT) return null;
  const timePs = viewport.timeOfPx(x);
  const step = steps[stepIndexAt(steps, timePs)];
  return step && timePs < step.start_ps + step.duration_ps ? step : null;
}

/** Tracks whose rows touch a range of heights of the canvas, in display order. */
export function tracksBetween(scene: Scene, top: number, bottom: number): number[] {
  const { geometry, layout } = scene;
  const found = new Set<number>();
  const add = (row: Row, clipTop: number, clipBottom: number) => {
    const y = rowTop(geometry, row);
    const isInside = Math.max(y, clipTop) < Math.min(bottom, clipBottom);
    if (isInside && Math.min(y + row.height, clipBottom) > Math.max(top, clipTop)) {
      if (row.kind === 'track') for (const track of tracksOfRow(row)) found.add(track);
      else if (row.isClosed) for (const track of row.group.tracks) found.add(track.track);
    }
  };
  const split = scrolledTop(geometry);
  for (const row of layout.pinned) add(row, geometry.headHeight, split);
  for (const row of layout.rows) add(row, split, geometry.height);
  return [...found];
}

/** The edge of a slice near a point in time, for measuring from edge to edge. */
export function snapToEdge(scene: Scene, x: number, y: number): number {
  const timePs = scene.viewport.timeOfPx(x);
  const hit = hitSlice(scene, x, y);
  if (!hit) return timePs;
  const reachPs = 8 * scene.viewport.psPerPx;
  const endPs = hit.startPs + hit.durationPs;
  if (Math.abs(hit.startPs - timePs) <= reachPs) return hit.startPs;
  return Math.abs(endPs - timePs) <= reachPs ? endPs : timePs;
}

function hitOf(row: TrackRow, track: number, lane: number, columns: LaneTile, i: number): Hit {
  return {
    row,
    lane,
    startPs: columns.startPs[i]!,
    durationPs: columns.durationPs[i]!,
    busyPs: columns.busyPs[i]!,
    count: columns.count[i]!,
    ref: refOf(columns, i, track, lane),
    label: columns.label[i]!,
  };
}
