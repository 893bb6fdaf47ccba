/** Draws a flame graph on its canvas. */
import { truncateMiddle } from '../../format/text';
import { boxesOf, type Box, type FlameTree } from './layout';

export const ROW_HEIGHT = 20;

export interface FlamePicture {
  tree: FlameTree;
  zoom: number;
  width: number;
  height: number;
  /** How far the rows are scrolled, in pixels. */
  top: number;
  hovered: number;
  active: number;
  /** Frames that a search found; null without one. */
  found: ReadonlySet<number> | null;
  colors: { text: string; surface: string; line: string; accent: string };
  font: string;
}

export function drawFlame(context: CanvasRenderingContext2D, picture: FlamePicture): void {
  const { width, height, top } = picture;
  context.clearRect(0, 0, width, height);
  context.font = `12px ${picture.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const characterWidth = context.measureText('abcdefghij').width / 10;
  const firstRow = Math.floor(top / ROW_HEIGHT);
  const lastRow = Math.ceil((top + height) / ROW_HEIGHT);
  for (const box of boxesOf(picture.tree, picture.zoom, width, firstRow, lastRow)) {
    drawBox(context, picture, box, characterWidth);
  }
}

function drawBox(
  context: CanvasRenderingContext2D,
  picture: FlamePicture,
  box: Box,
  characterWidth: number,
): void {
  const frame = picture.tree.frames[box.index];
  if (!frame) return;
  const { colors, found } = picture;
  const left = Math.max(0, box.left);
  const right = Math.min(picture.width, Math.max(box.left + box.width, box.left + 1));
  const gap = right - left > 3 ? 1 : 0;
  const y = box.row * ROW_HEIGHT - picture.top;
  const height = ROW_HEIGHT - 1;
  const isDimmed = (found !== null && !found.has(box.index)) || box.isAncestor;
  context.fillStyle = colors.surface;
  context.fillRect(left, y, right - left - gap, height);
  context.globalAlpha = (isDimmed ? 0.4 : 1) * frame.strength;
  context.fillStyle = frame.color;
  context.fillRect(left, y, right - left - gap, height);
  context.globalAlpha = 1;
  if (box.index === picture.hovered || box.index === picture.active || found?.has(box.index)) {
    const isStrong = box.index === picture.active;
    context.strokeStyle = isStrong || found?.has(box.index) ? colors.accent : colors.text;
    context.lineWidth = isStrong ? 2 : 1;
    context.strokeRect(left + 0.5, y + 0.5, Math.max(1, right - left - gap - 1), height - 1);
  }
  const title = fitted(context, frame.title, right - left - gap - 8, characterWidth);
  if (title === '') return;
  context.globalAlpha = isDimmed ? 0.65 : 1;
  context.fillStyle = colors.text;
  context.fillText(title, left + 5, y + height / 2 + 0.5);
  context.globalAlpha = 1;
}

/** The title, shortened in the middle to fit; empty if fewer than three characters of it would fit. */
function fitted(
  context: CanvasRenderingContext2D,
  title: string,
  width: number,
  characterWidth: number,
): string {
  let room = Math.min(title.length, Math.ceil((1.5 * width) / characterWidth));
  while (room >= 3) {
    const text = truncateMiddle(title, room);
    const excess = context.measureText(text).width - width;
    if (excess <= 0) return text;
    room -= Math.max(1, Math.floor(excess / (2 * characterWidth)));
  }
  return title.length < 3 && context.measureText(title).width <= width ? title : '';
}
