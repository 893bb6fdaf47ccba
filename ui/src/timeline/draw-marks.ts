/** Draws marks: their times, their texts, and the arrows between them. */
import { arrow } from './draw-flows';
import { FLAG_HEIGHT, flagsOf, rowOf } from './mark-flags';
import { MARK_COLORS } from './marks';
import type { Scene } from './scene';

const FLAG_INSET_PX = 6;

/** All marks; a range through all rows, or only on its track. */
export function drawMarks(context: CanvasRenderingContext2D, scene: Scene): void {
  const { marks, viewport, geometry, layout } = scene;
  for (const mark of marks) {
    const x0 = viewport.pxOfTime(mark.startPs);
    const x1 = viewport.pxOfTime(mark.endPs);
    if (x1 < 0 || x0 > geometry.width) continue;
    const row = rowOf(scene, mark);
    const top = row ?? geometry.headHeight;
    const bottom = row === null ? geometry.height : row + layout.rowOfTrack.get(mark.track!)!.height;
    context.fillStyle = MARK_COLORS[mark.color];
    context.globalAlpha = 0.1;
    context.fillRect(x0, top, x1 - x0, bottom - top);
    context.globalAlpha = mark.isKept ? 1 : 0.6;
    context.fillRect(Math.round(x0), top, 1, bottom - top);
    if (x1 - x0 > 1) context.fillRect(Math.round(x1), top, 1, bottom - top);
    context.globalAlpha = 1;
  }
  drawFlags(context, scene);
}

function drawFlags(context: CanvasRenderingContext2D, scene: Scene): void {
  const { marks, viewport, geometry, font } = scene;
  const flags = flagsOf(scene);
  const heightOf = (position: number) =>
    (flags.find((flag) => flag.position === position)?.y ?? geometry.headHeight) + FLAG_HEIGHT / 2;
  marks.forEach((mark, position) => {
    for (const other of mark.arrows) {
      const target = marks[other];
      if (!mark.isKept || !target?.isKept) continue;
      const [from, to] = [viewport.pxOfTime(mark.endPs), viewport.pxOfTime(target.startPs)];
      arrow(context, scene, from, heightOf(position), to, heightOf(other), MARK_COLORS[mark.color]);
    }
  });
  context.font = font;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const { position, x, y, width, text } of flags) {
    context.fillStyle = MARK_COLORS[marks[position]!.color];
    context.beginPath();
    context.roundRect(x, y, width, FLAG_HEIGHT, [0, 4, 4, 0]);
    context.fill();
    context.save();
    context.clip();
    context.fillStyle = '#ffffff';
    context.fillText(text, x + FLAG_INSET_PX, y + FLAG_HEIGHT / 2 + 0.5);
    context.restore();
  }
}
