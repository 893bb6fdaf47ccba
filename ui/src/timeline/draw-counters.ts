/**
 * Counters as stepped areas: a value holds until the next sample; minimum and maximum per pixel.
 */
import { valueText } from '../format/counter-value';
import { scaleTicks, shareOf } from './counter-scale';
import type { TrackRow } from './layout';
import { CLASS_NAMES, TINTS } from './palette';
import { firstGlyphAt, type Segment } from './segments';
import { rowTop, type Scene } from './scene';
import type { Projection } from './strips';

/** Room above the highest value and below the lowest one. */
const ABOVE_PX = 6;
const BELOW_PX = 3;
const LABEL_PX = 9;

const SLOT = 1 + CLASS_NAMES.indexOf('program') * TINTS;

/** Draws one counter row. */
export function drawCounter(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: TrackRow,
  segments: readonly Segment[],
  projection: Projection,
): void {
  const { geometry, palette, viewport } = scene;
  const { scale } = row;
  if (!scale) return;
  const bottom = rowTop(geometry, row) + row.height - BELOW_PX;
  const room = row.height - BELOW_PX - ABOVE_PX;
  // Areas reach to 0, which is above the bottom if there are negative values.
  const zero = shareOf(scale, scale.isLog ? scale.low : 0) * room;
  const psPerPx = 1 / (projection.scale * geometry.ratio);
  context.fillStyle = palette.css[SLOT]!;
  for (const segment of segments) {
    const counter = segment.tile?.counter;
    if (!counter) continue;
    const { timePs, maximum, minimum, sampleCount } = counter;
    for (let i = firstGlyphAt(timePs, segment.startPs); i < sampleCount; i++) {
      const startPs = Math.max(timePs[i]!, segment.startPs);
      if (startPs >= segment.endPs) break;
      const nextPs = i + 1 < sampleCount ? timePs[i + 1]! : segment.endPs;
      const endPs = Math.min(nextPs, segment.endPs, scene.report.end_ps);
      if (endPs < viewport.startPs) continue;
      if (startPs > viewport.endPs) break;
      // Whole pixels: neighbors must neither overlap nor leave a seam.
      const x0 = Math.round((startPs - projection.originPs) / psPerPx);
      const x1 = Math.max(Math.round((endPs - projection.originPs) / psPerPx), x0 + 1);
      const high = shareOf(scale, maximum[i]!) * room;
      const low = shareOf(scale, minimum[i]!) * room;
      const [top, foot] = [Math.max(high, zero + 1), Math.min(low, zero)];
      context.globalAlpha = 0.45;
      context.fillRect(x0, bottom - top, x1 - x0, top - foot);
      context.globalAlpha = 1;
      context.fillRect(x0, bottom - Math.max(high, 1), x1 - x0, Math.max(1.5, high - low));
    }
  }
}

/** Labels a counter's scale at the left edge, over its values. */
export function drawCounterScale(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: TrackRow,
): void {
  const { geometry, palette } = scene;
  if (!row.scale || row.height < 3 * LABEL_PX) return;
  const bottom = rowTop(geometry, row) + row.height - BELOW_PX;
  const room = row.height - BELOW_PX - ABOVE_PX;
  const family = scene.font.slice(scene.font.indexOf(' '));
  context.font = `${LABEL_PX}px${family}`;
  let lowest = Infinity;
  for (const value of scaleTicks(row.scale)) {
    const y = bottom - shareOf(row.scale, value) * room;
    context.fillStyle = palette.theme.strongLine;
    context.fillRect(0, Math.round(y), geometry.width, 1);
    // Labels go from the bottom up and never overlap.
    const center = Math.min(bottom - LABEL_PX / 2, Math.max(y, bottom - room + LABEL_PX / 2 - 2));
    if (lowest - center < LABEL_PX + 1) continue;
    lowest = center;
    const text = valueText(value, row.track.counter_unit);
    context.globalAlpha = 0.8;
    context.fillStyle = palette.theme.background;
    const width = context.measureText(text).width;
    context.fillRect(0, center - LABEL_PX / 2, width + 7, LABEL_PX);
    context.globalAlpha = 1;
    context.fillStyle = palette.theme.mutedText;
    context.fillText(text, 4, center + 0.5);
  }
}
