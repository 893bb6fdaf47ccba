/** Frame statistics on the canvas, shown by the key `~` and by `fps=1` in the URL. */
import type { Scene } from './scene';
import type { Stats } from './stats';

const WIDTH = 202;
const LINE_HEIGHT = 15;

/** Draws the figures of the last frames in the corner. */
export function drawStats(
  context: CanvasRenderingContext2D,
  scene: Scene,
  stats: Stats,
  drawMs: number,
): void {
  const lines = [
    `draw ${drawMs.toFixed(1)} ms (median ${stats.drawMedianMs.toFixed(1)})`,
    `frame ${stats.intervalMedianMs.toFixed(1)} ms, p95 ${stats.intervalP95Ms.toFixed(1)}`,
    `${stats.glyphs} glyphs, ${stats.labels} names, ${stats.lanes} lanes`,
    `tiles ${stats.tilesLoaded}/${stats.tilesRequested}, ${stats.tileMedianMs.toFixed(0)} ms`,
    `${(stats.tileBytes / 2 ** 20).toFixed(1)} MiB of tiles`,
  ];
  const { geometry, palette, font } = scene;
  const left = geometry.width - WIDTH - 8;
  const top = geometry.headHeight + 8;
  context.fillStyle = palette.theme.text;
  context.globalAlpha = 0.85;
  context.fillRect(left, top, WIDTH, lines.length * LINE_HEIGHT + 10);
  context.globalAlpha = 1;
  context.fillStyle = palette.theme.background;
  context.font = font;
  context.textBaseline = 'middle';
  lines.forEach((line, i) => context.fillText(line, left + 8, top + 14 + i * LINE_HEIGHT));
}
