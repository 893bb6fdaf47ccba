/** Draws instants, and the outlines of the hovered and the selected slice. */
import type { SliceLabels } from './labels-drawing';
import type { Palette } from './palette';
import { rowTop, scrolledTop, type Scene, type SelectedSlice } from './scene';
import { rowsOfSlice } from './slice-rows';

const DIAMOND_PX = 4.5;

/** Slices of zero duration, as diamonds. */
export function drawInstants(
  context: CanvasRenderingContext2D,
  found: SliceLabels,
  palette: Palette,
  laneTop: Float32Array,
  sliceHeight: number,
  firstStrip: number,
  lastStrip: number,
): void {
  let lastSlot = -1;
  const ratio = context.getTransform().a;
  for (let i = 0; i < found.instantCount; i++) {
    const strip = found.instantLane[i]!;
    if (strip < firstStrip || strip >= lastStrip) continue;
    const slot = found.instantSlot[i]!;
    if (slot !== lastSlot) context.fillStyle = palette.css[slot]!;
    lastSlot = slot;
    const x = found.instantPx[i]! / ratio + 0.5;
    const y = laneTop[strip]! + sliceHeight / 2;
    context.beginPath();
    context.moveTo(x, y - DIAMOND_PX);
    context.lineTo(x + DIAMOND_PX, y);
    context.lineTo(x, y + DIAMOND_PX);
    context.lineTo(x - DIAMOND_PX, y);
    context.fill();
  }
}

/** Outlines, both on the scrolled row and on its pinned copy. */
export function drawHoverAndSelection(context: CanvasRenderingContext2D, scene: Scene): void {
  const { selection, hover, palette } = scene;
  if (hover) {
    context.strokeStyle = palette.theme.text;
    context.lineWidth = 1;
    outline(context, scene, hover);
  }
  if (!selection) return;
  drawParticipants(context, scene);
  context.lineWidth = 4;
  context.strokeStyle = palette.theme.background;
  outline(context, scene, selection);
  context.lineWidth = 2;
  context.strokeStyle = palette.theme.text;
  outline(context, scene, selection);
}

/** The other participants of the selected collective, the last one to arrive in another color. */
function drawParticipants(context: CanvasRenderingContext2D, scene: Scene): void {
  const { participants, palette } = scene;
  for (const one of participants) {
    context.lineWidth = 4;
    context.strokeStyle = palette.theme.background;
    outline(context, scene, one);
    context.lineWidth = 2;
    context.strokeStyle = one.isLast ? palette.theme.problem : palette.theme.accent;
    outline(context, scene, one);
  }
}

function outline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  { ref, startPs, durationPs }: Pick<SelectedSlice, 'ref' | 'startPs' | 'durationPs'>,
): void {
  const { geometry, viewport, layout } = scene;
  const x0 = Math.max(-4, Math.floor(viewport.pxOfTime(startPs)));
  const end = viewport.pxOfTime(startPs + durationPs);
  const x1 = Math.min(geometry.width + 4, Math.max(Math.floor(end), x0 + 3));
  if (x1 < 0 || x0 > geometry.width) return;
  for (const { row, lane } of rowsOfSlice(scene, ref, startPs)) {
    const top = rowTop(geometry, row) + lane * layout.laneHeight;
    const clipTop = row.isPinnedCopy ? geometry.headHeight : scrolledTop(geometry);
    if (top + layout.laneHeight <= clipTop || top > geometry.height) continue;
    context.strokeRect(x0, top + 0.5, x1 - x0, layout.laneHeight - 2);
  }
}
