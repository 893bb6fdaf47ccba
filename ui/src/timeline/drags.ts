/** What a drag does, depending on where it begins and which tool is selected. */
import type { Commands } from './commands';
import { snapToEdge, tracksBetween } from './hit';
import type { Point } from './interaction';
import { minimapPx, minimapTime } from './minimap';
import { MINIMAP_HEIGHT } from './scene';
import type { Timeline, Tool } from './timeline';
import type { TimeWindow } from './viewport';

/** A drag in progress. */
export interface Drag {
  cursor: string;
  move(to: Point): void;
  end(at: Point): void;
}

/** The drag that begins at a point. */
export function beginDrag(
  timeline: Timeline,
  commands: Commands,
  tool: Tool,
  from: Point,
  grip: 'start' | 'end' | null,
): Drag {
  const { geometry } = timeline.scene;
  if (from.y < MINIMAP_HEIGHT) return minimapDrag(timeline, from, grip);
  if (grip && timeline.scene.area) return areaEdgeDrag(timeline, grip);
  if (tool === 'pan') return panDrag(timeline, from);
  if (tool === 'zoom') return zoomDrag(timeline, commands, from);
  if (tool === 'measure' && from.y >= geometry.headHeight) return measureDrag(timeline, from);
  return areaDrag(timeline, from);
}

/** Moves the content with the pointer, exactly. */
function panDrag(timeline: Timeline, from: Point): Drag {
  const { viewport, geometry } = timeline.scene;
  const began = { startPs: viewport.startPs, endPs: viewport.endPs };
  const psPerPx = viewport.psPerPx;
  const scrollY = geometry.scrollY;
  const move = (to: Point) => {
    const shift = (from.x - to.x) * psPerPx;
    timeline.moveTo({ startPs: began.startPs + shift, endPs: began.endPs + shift });
    timeline.scrollTo(scrollY + from.y - to.y);
  };
  return { cursor: 'grabbing', move, end: move };
}

function areaDrag(timeline: Timeline, from: Point): Drag {
  const { scene } = timeline;
  const fromPs = scene.viewport.timeOfPx(from.x);
  const isOnHead = from.y < scene.geometry.headHeight;
  const areaTo = (to: Point) => {
    const range = rangeBetween(timeline, fromPs, scene.viewport.timeOfPx(to.x));
    const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
    const tracks = isOnHead ? null : tracksBetween(scene, top, bottom + 1);
    return { ...range, tracks: tracks && tracks.length > 0 ? tracks : null };
  };
  return {
    cursor: 'crosshair',
    move: (to) => timeline.previewArea(areaTo(to)),
    end: (at) => timeline.setArea(areaTo(at)),
  };
}

function areaEdgeDrag(timeline: Timeline, grip: 'start' | 'end'): Drag {
  const { scene } = timeline;
  const area = scene.area!;
  const fixedPs = grip === 'start' ? area.endPs : area.startPs;
  const areaTo = (to: Point) => ({
    ...rangeBetween(timeline, fixedPs, snapToEdge(scene, to.x, to.y)),
    tracks: area.tracks,
  });
  return {
    cursor: 'ew-resize',
    move: (to) => timeline.previewArea(areaTo(to)),
    end: (at) => timeline.setArea(areaTo(at)),
  };
}

function zoomDrag(timeline: Timeline, commands: Commands, from: Point): Drag {
  const { viewport } = timeline.scene;
  const fromPs = viewport.timeOfPx(from.x);
  const rangeTo = (to: Point) => rangeBetween(timeline, fromPs, viewport.timeOfPx(to.x));
  return {
    cursor: 'zoom-in',
    move: (to) => timeline.setMeasure(rangeTo(to)),
    end: (at) => {
      timeline.setMeasure(null);
      commands.zoomTo(rangeTo(at));
    },
  };
}

/** Measures from edge to edge; the measure stays until Escape. */
function measureDrag(timeline: Timeline, from: Point): Drag {
  const { scene } = timeline;
  const fromPs = snapToEdge(scene, from.x, from.y);
  const move = (to: Point) =>
    timeline.setMeasure(rangeBetween(timeline, fromPs, snapToEdge(scene, to.x, to.y)));
  return { cursor: 'crosshair', move, end: move };
}

function minimapDrag(timeline: Timeline, from: Point, grip: 'start' | 'end' | null): Drag {
  const { scene } = timeline;
  const { startPs, endPs } = scene.viewport.target;
  const timeOf = (point: Point) => minimapTime(scene, point.x);
  if (grip) {
    const fixedPs = grip === 'start' ? endPs : startPs;
    const resize = (to: Point) => timeline.moveTo(rangeBetween(timeline, fixedPs, timeOf(to)));
    return { cursor: 'ew-resize', move: resize, end: resize };
  }
  const isInside = from.x >= minimapPx(scene, startPs) && from.x <= minimapPx(scene, endPs);
  // A press outside the window centers the window there.
  const grabbedPs = isInside ? timeOf(from) - startPs : (endPs - startPs) / 2;
  const move = (to: Point) => {
    const next = timeOf(to) - grabbedPs;
    timeline.moveTo({ startPs: next, endPs: next + endPs - startPs });
  };
  if (!isInside) move(from);
  return { cursor: 'grabbing', move, end: move };
}

function rangeBetween(timeline: Timeline, onePs: number, otherPs: number): TimeWindow {
  const { limits } = timeline.scene.viewport;
  const clamp = (ps: number) => Math.min(Math.max(ps, limits.startPs), limits.endPs);
  const [startPs, endPs] = [clamp(Math.min(onePs, otherPs)), clamp(Math.max(onePs, otherPs))];
  return { startPs, endPs: Math.max(endPs, startPs + 1) };
}
