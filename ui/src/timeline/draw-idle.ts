/** Draws gaps as hatched areas in the color of their cause, with the cause's name where it fits. */
import { CAUSES, meaningOf } from '../format/causes';
import { formatDuration } from '../format/numbers';
import type { GapRow } from '../wire/generated/GapRow';
import { firstGapAfter, gapsOn } from './idle-gaps';
import { SUMMARY_HEIGHT, SUMMARY_INSET, type Row } from './layout';
import { GHOST_LIFT_PX } from './overlay';
import { rowTop, type Scene } from './scene';

const HATCH_PX = 6;
const TEXT_INSET = 6;
/** Lower gaps have no text. */
const LEAST_TEXT_PX = 12;
/** A gap narrower than this is a line in the color of its cause. */
const HATCHED_PX = 5;

/** One tile of hatching per color; forgotten with the canvas. */
const patterns = new WeakMap<CanvasRenderingContext2D, Map<string, CanvasPattern | null>>();

/** The gaps of one row. */
export function drawIdle(context: CanvasRenderingContext2D, scene: Scene, row: Row): void {
  const isGroup = row.kind === 'group';
  const top = rowTop(scene.geometry, row) + (isGroup ? SUMMARY_INSET : 0);
  drawGaps(context, scene, row, top, isGroup ? SUMMARY_HEIGHT : scene.layout.laneHeight - 1, 0);
}

/** They are drawn earlier by a shift, for another step that lies over the own one. */
export function drawGaps(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: Row,
  top: number,
  height: number,
  shiftPs: number,
): void {
  const { viewport, geometry } = scene;
  const gaps = gapsOn(scene, row);
  let lastX = -1;
  for (let i = firstGapAfter(gaps, viewport.startPs + shiftPs); i < gaps.length; i++) {
    const gap = gaps[i]!;
    const startPs = gap.start_ps - shiftPs;
    if (startPs >= viewport.endPs) break;
    const x0 = Math.max(0, viewport.pxOfTime(startPs));
    const x1 = Math.min(geometry.width, viewport.pxOfTime(startPs + gap.duration_ps));
    // One line per pixel is enough.
    if (Math.floor(x1) === lastX) continue;
    lastX = Math.floor(x1);
    drawGap(context, scene, gap, x0, x1, top, height);
  }
}

function drawGap(
  context: CanvasRenderingContext2D,
  scene: Scene,
  gap: GapRow,
  x0: number,
  x1: number,
  top: number,
  height: number,
): void {
  const { title, color } = meaningOf(CAUSES, gap.cause);
  if (x1 - x0 < HATCHED_PX) {
    context.fillStyle = color;
    context.globalAlpha = 0.5;
    context.fillRect(x0, top + height / 2 - 1, Math.max(1, x1 - x0), 2);
    context.globalAlpha = 1;
    return;
  }
  context.fillStyle = hatching(context, color) ?? color;
  context.fillRect(x0 + 1, top, x1 - x0 - 2, height);
  if (height < LEAST_TEXT_PX) return;
  const text = `${title} · ${formatDuration(gap.duration_ps)}`;
  const room = x1 - x0 - 2 * TEXT_INSET;
  const shown = [text, title].find((one) => context.measureText(one).width <= room);
  if (!shown) return;
  const width = context.measureText(shown).width;
  // A paler ground, through which the hatching still shows.
  context.fillStyle = scene.palette.theme.background;
  context.globalAlpha = 0.7;
  // Above the part that shows another step.
  const lift = scene.ghost ? GHOST_LIFT_PX : 0;
  context.fillRect(x0 + TEXT_INSET - 3, top + 2, width + 6, height - 4 - 2 * lift);
  context.globalAlpha = 1;
  context.fillStyle = scene.palette.theme.mutedText;
  context.fillText(shown, x0 + TEXT_INSET, top + height / 2 + 0.5 - lift);
}

function hatching(context: CanvasRenderingContext2D, color: string): CanvasPattern | null {
  let known = patterns.get(context);
  if (!known) patterns.set(context, (known = new Map()));
  let pattern = known.get(color);
  if (pattern === undefined) known.set(color, (pattern = newHatching(context, color)));
  return pattern;
}

function newHatching(context: CanvasRenderingContext2D, color: string): CanvasPattern | null {
  const tile = document.createElement('canvas');
  tile.width = tile.height = HATCH_PX;
  const pen = tile.getContext('2d');
  if (!pen) return null;
  pen.globalAlpha = 0.14;
  pen.fillStyle = color;
  pen.fillRect(0, 0, HATCH_PX, HATCH_PX);
  pen.globalAlpha = 0.75;
  pen.strokeStyle = color;
  pen.lineWidth = 1.2;
  pen.beginPath();
  // Three pieces, so that lines meet at the edges of the tile.
  for (const shift of [-HATCH_PX, 0, HATCH_PX]) {
    pen.moveTo(shift - 1, HATCH_PX + 1);
    pen.lineTo(shift + HATCH_PX + 1, -1);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat');
}
