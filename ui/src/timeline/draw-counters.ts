/**
 * Counters as stepped areas: a value holds until the next sample; minimum and maximum per pixel.
 */
import type { TrackRow } from './layout';
import { CLASS_NAMES, TINTS } from './palette';
import { firstGlyphAt, type Segment } from './segments';
import { rowTop, type Scene } from './scene';
import type { Projection } from './strips';

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
  const bottom = rowTop(geometry, row) + row.height - 3;
  const room = row.height - 8;
  const largest = row.track.counter_max ?? 0;
  const scale = largest > 0 ? room / largest : 0;
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
      const high = Math.max(1, maximum[i]! * scale);
      const low = minimum[i]! * scale;
      context.globalAlpha = 0.45;
      context.fillRect(x0, bottom - high, x1 - x0, high);
      context.globalAlpha = 1;
      context.fillRect(x0, bottom - high, x1 - x0, Math.max(1.5, high - low));
    }
  }
}
