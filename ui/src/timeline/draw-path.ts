/** Draws the critical path under the step ruler: what steps wait for, by kind. */
import { textOn } from '../format/palette';
import { WAIT_KINDS } from '../format/waits';
import { fittingText, visitPath, wordsPx } from './path-ruler';
import { PATH_RULER_HEIGHT, type Scene } from './scene';

/** Minimum pixels of a piece with a text. */
const TEXT_PX = 22;
const PADDING_PX = 5;

const COLORS: ReadonlyMap<string, string> = new Map(
  WAIT_KINDS.map(({ key, color }) => [key, color]),
);

/** The strip; nothing is left out, since what is narrower than a pixel is merged. */
export function drawPathRuler(context: CanvasRenderingContext2D, scene: Scene): void {
  const { viewport, geometry, palette, path, font } = scene;
  const top = geometry.headHeight - PATH_RULER_HEIGHT;
  const height = PATH_RULER_HEIGHT - 2;
  const widthOf = (text: string) => context.measureText(text).width;
  // Whole device pixels, so that nothing shows between neighbors.
  const snapped = (px: number) => Math.round(px * geometry.ratio) / geometry.ratio;
  context.font = font;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  visitPath(path, viewport.startPs, viewport.endPs, viewport.psPerPx, (row, startPs, endPs) => {
    const x0 = snapped(viewport.pxOfTime(startPs));
    const x1 = snapped(viewport.pxOfTime(endPs));
    const left = Math.max(0, x0);
    const width = Math.max(1, Math.min(geometry.width, x1) - left);
    const color = COLORS.get(row.kind) ?? palette.theme.strongLine;
    // Those of two steps may overlap, and the color of idle is translucent.
    context.fillStyle = palette.theme.surface;
    context.fillRect(left, top, width, height);
    context.fillStyle = color;
    context.fillRect(left, top, width, height);
    if (width < TEXT_PX) return;
    context.fillStyle = palette.theme.surface;
    if (x1 < geometry.width) context.fillRect(left + width - 1, top, 1, height);
    const text = fittingText(row.what, width - 2 * PADDING_PX, widthOf);
    context.fillStyle = color.length === 7 ? textOn(color) : palette.theme.text;
    context.fillText(text, left + PADDING_PX, top + height / 2 + 0.5);
  });
  const begin = wordsPx(path, viewport) + PADDING_PX;
  if (begin >= geometry.width) return;
  context.fillStyle = palette.theme.mutedText;
  const words = fittingText(path.words, geometry.width - begin - PADDING_PX, widthOf);
  context.fillText(words, begin, top + height / 2 + 0.5);
}
