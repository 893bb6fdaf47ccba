/** Dims all steps but one. */
import type { Row } from './layout';
import { rowTop, type Scene } from './scene';

const VEIL = 0.78;

/** Veils a row outside the step. */
export function veilOthers(context: CanvasRenderingContext2D, scene: Scene, row: Row): void {
  const { onlyStep, viewport, geometry, palette } = scene;
  if (!onlyStep) return;
  const span = onlyStep.spanOn(row.group.name);
  const clamp = (ps: number) => Math.min(geometry.width, Math.max(0, viewport.pxOfTime(ps)));
  const from = span ? clamp(span.startPs) : geometry.width;
  const until = span ? clamp(span.endPs) : geometry.width;
  const [top, height] = [rowTop(geometry, row), row.height - 1];
  context.globalAlpha = VEIL;
  context.fillStyle = palette.theme.background;
  context.fillRect(0, top, from, height);
  context.fillRect(until, top, geometry.width - until, height);
  context.globalAlpha = 1;
}
