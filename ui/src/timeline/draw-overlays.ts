/** Draws what spans all rows: gridlines, area, measure, the line at the pointer. */
import { formatDuration } from '../format/numbers';
import type { Row } from './layout';
import { rulerTicks } from './ruler-ticks';
import { rowTop, scrolledTop, type Geometry, type Scene } from './scene';

/** Minimum pixels between labeled ticks. */
export const TICK_PX = 110;
/** Minimum pixels between lines at step boundaries. */
const STEP_LINE_PX = 60;

/** Vertical lines at the ticks of the ruler and at step boundaries. */
export function drawGridlines(
  context: CanvasRenderingContext2D,
  scene: Scene,
  top: number,
  bottom: number,
): void {
  const { viewport, geometry, palette, steps } = scene;
  context.fillStyle = palette.theme.line;
  for (const { timePs } of rulerTicks(scene.clock, viewport, geometry.width, TICK_PX).major) {
    const x = Math.round(viewport.pxOfTime(timePs));
    context.fillRect(x, top, 1, bottom - top);
  }
  context.fillStyle = palette.theme.strongLine;
  let lastX = -100;
  for (let i = 0; i < steps.length; i++) {
    const x = Math.round(viewport.pxOfTime(steps[i]!.start_ps));
    if (x < 0 || x - lastX < STEP_LINE_PX) continue;
    if (x > geometry.width) break;
    context.fillRect(x, top, 1, bottom - top);
    lastX = x;
  }
}

/** The selected area: its tracks are tinted. */
export function drawArea(context: CanvasRenderingContext2D, scene: Scene): void {
  const { area, viewport, geometry, palette, layout } = scene;
  if (!area) return;
  const x0 = viewport.pxOfTime(area.startPs);
  const x1 = viewport.pxOfTime(area.endPs);
  if (x1 < 0 || x0 > geometry.width) return;
  context.fillStyle = palette.theme.accent;
  context.globalAlpha = 0.16;
  if (area.tracks === null) {
    context.fillRect(x0, geometry.headHeight, x1 - x0, geometry.height);
  } else {
    const top = scrolledTop(geometry);
    fillRows(context, geometry, area.tracks, layout.pinned, geometry.headHeight, top, x0, x1);
    fillRows(context, geometry, area.tracks, layout.rows, top, geometry.height, x0, x1);
  }
  context.globalAlpha = 1;
  context.fillRect(Math.round(x0), geometry.headHeight, 1, geometry.height);
  context.fillRect(Math.round(x1), geometry.headHeight, 1, geometry.height);
}

/** Tints the visible rows of the tracks between two heights. */
function fillRows(
  context: CanvasRenderingContext2D,
  geometry: Geometry,
  tracks: readonly number[],
  rows: readonly Row[],
  clipTop: number,
  clipBottom: number,
  x0: number,
  x1: number,
): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const y = rowTop(geometry, row);
    if (y >= clipBottom) return;
    if (row.kind !== 'track' || y + row.height <= clipTop) continue;
    if (!tracks.includes(row.track.track)) continue;
    const y0 = Math.max(y, clipTop);
    context.fillRect(x0, y0, x1 - x0, Math.min(y + row.height, clipBottom) - y0);
  }
}

/** The range of the measuring tool, with its length. */
export function drawMeasure(context: CanvasRenderingContext2D, scene: Scene): void {
  const { measure, viewport, geometry, palette, pointer } = scene;
  if (!measure) return;
  const x0 = viewport.pxOfTime(measure.startPs);
  const x1 = viewport.pxOfTime(measure.endPs);
  const y = Math.max(pointer?.y ?? 0, geometry.headHeight + 30);
  context.fillStyle = palette.theme.accent;
  context.globalAlpha = 0.12;
  context.fillRect(x0, geometry.headHeight, x1 - x0, geometry.height);
  context.globalAlpha = 1;
  context.fillRect(Math.round(x0), geometry.headHeight, 1, geometry.height);
  context.fillRect(Math.round(x1), geometry.headHeight, 1, geometry.height);
  context.fillRect(x0, y, x1 - x0, 1);
  tag(context, scene, formatDuration(measure.endPs - measure.startPs), (x0 + x1) / 2, y - 14);
}

/** A thin line at the pointer, from the ruler down. */
export function drawPointer(context: CanvasRenderingContext2D, scene: Scene): void {
  const { pointer, geometry, palette } = scene;
  if (!pointer || pointer.y < geometry.headHeight - 24) return;
  context.fillStyle = palette.theme.mutedText;
  context.globalAlpha = 0.35;
  context.fillRect(Math.round(pointer.x), geometry.headHeight, 1, geometry.height);
  context.globalAlpha = 1;
}

/** Where the label of a point is: centered on it and kept on the screen. */
export function tagSpan(
  context: CanvasRenderingContext2D,
  { font, geometry }: Scene,
  text: string,
  x: number,
): [left: number, right: number] {
  context.font = font;
  const width = context.measureText(text).width + 12;
  const left = Math.min(Math.max(x - width / 2, 2), geometry.width - width - 2);
  return [left, left + width];
}

/** Text on a small filled label, centered on a point and kept on the screen. */
export function tag(
  context: CanvasRenderingContext2D,
  scene: Scene,
  text: string,
  x: number,
  y: number,
): void {
  const { palette } = scene;
  const [left, right] = tagSpan(context, scene, text, x);
  context.fillStyle = palette.theme.accent;
  context.beginPath();
  context.roundRect(left, y - 9, right - left, 18, 4);
  context.fill();
  context.fillStyle = palette.theme.background;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(text, left + 6, y + 0.5);
}
