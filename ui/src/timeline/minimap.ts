/**
 * The minimap, a band that shows the whole session, its steps larger if they are a sliver of it: how busy the devices are, the steps, the window,
 * the area and search matches. The static part is cached as a picture.
 */
import { breaksOf, shareOf, timeAt } from './minimap-scale';
import { tileIndexAt } from './tile-grid';
import { overviewOf } from './tile-wants';
import { MINIMAP_HEIGHT, type Scene } from './scene';
import type { Palette } from './palette';
import type { LaneTile } from './tile';
import type { TileCache } from './tile-cache';
import type { TimeWindow } from './viewport';

const STEP_BAND_PX = 8;

/** How close the pointer must be to an end of the window to grip it. */
export const MINIMAP_GRIP_PX = 6;

/** Draws the band; caches the picture of steps and load. */
export class Minimap {
  private readonly picture = document.createElement('canvas');
  /** What the picture was painted from. */
  private readonly painted = {
    width: 0,
    ratio: 0,
    palette: null as Palette | null,
    labels: -1,
    tiles: -1,
  };
  private generation = -1;
  private loaded = 0;
  private source: { cache: TileCache; rootLevel: number } | null = null;

  attach(cache: TileCache, rootLevel: number): void {
    this.source = { cache, rootLevel };
  }

  /** Repaints the picture, because other steps are shown. */
  repaintSteps(): void {
    this.painted.width = 0;
  }

  draw(context: CanvasRenderingContext2D, scene: Scene): void {
    this.repaint(scene);
    const { geometry, palette, viewport, area, matchTimes } = scene;
    const { width } = geometry;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.picture, 0, 0, width, MINIMAP_HEIGHT);
    if (area) {
      const x0 = minimapPx(scene, area.startPs);
      const x1 = minimapPx(scene, area.endPs);
      context.fillStyle = palette.theme.accent;
      context.globalAlpha = 0.3;
      context.fillRect(x0, 0, Math.max(1, x1 - x0), MINIMAP_HEIGHT);
      context.globalAlpha = 1;
    }
    context.fillStyle = palette.theme.text;
    let lastX = -10;
    for (let i = 0; i < matchTimes.length; i++) {
      const x = Math.round(minimapPx(scene, matchTimes[i]!));
      if (x === lastX) continue;
      context.fillRect(x, MINIMAP_HEIGHT - 6, 1, 5);
      lastX = x;
    }
    const x0 = minimapPx(scene, viewport.startPs);
    const x1 = Math.max(minimapPx(scene, viewport.endPs), x0 + 2);
    context.fillStyle = palette.theme.background;
    context.globalAlpha = 0.5;
    context.fillRect(0, 0, x0, MINIMAP_HEIGHT);
    context.fillRect(x1, 0, width - x1, MINIMAP_HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = palette.theme.accent;
    context.lineWidth = 1.5;
    context.strokeRect(x0, 0.75, x1 - x0, MINIMAP_HEIGHT - 1.5);
    context.fillStyle = palette.theme.accent;
    context.fillRect(x0 - 1.5, MINIMAP_HEIGHT / 2 - 7, 3, 14);
    context.fillRect(x1 - 1.5, MINIMAP_HEIGHT / 2 - 7, 3, 14);
    context.fillStyle = palette.theme.strongLine;
    context.fillRect(0, MINIMAP_HEIGHT - 1, width, 1);
  }

  private repaint(scene: Scene): void {
    const { geometry, palette, minimapTracks } = scene;
    const { painted } = this;
    const tiles = this.loadedTiles(scene);
    if (
      painted.width === geometry.width &&
      painted.ratio === geometry.ratio &&
      painted.palette === palette &&
      painted.labels === scene.labels.generation &&
      painted.tiles === tiles
    ) {
      return;
    }
    painted.width = geometry.width;
    painted.ratio = geometry.ratio;
    painted.palette = palette;
    painted.labels = scene.labels.generation;
    painted.tiles = tiles;
    this.picture.width = Math.max(1, Math.round(geometry.width * geometry.ratio));
    this.picture.height = Math.round(MINIMAP_HEIGHT * geometry.ratio);
    const context = this.picture.getContext('2d');
    if (!context) return;
    context.setTransform(geometry.ratio, 0, 0, geometry.ratio, 0, 0);
    context.fillStyle = palette.theme.surface;
    context.fillRect(0, 0, geometry.width, MINIMAP_HEIGHT);
    this.paintSteps(context, scene);
    const top = scene.steps.length > 0 ? STEP_BAND_PX + 2 : 2;
    const height = (MINIMAP_HEIGHT - 3 - top) / Math.max(1, minimapTracks.length);
    minimapTracks.forEach((track, i) => {
      const [whole, ...larger] = this.lanesOf(scene, track);
      const paint = (lane: LaneTile, without: TimeWindow | null) =>
        paintLoad(context, scene, lane, without, top + i * height, Math.max(1, height - 1));
      if (whole) paint(whole, larger.length > 0 ? scene.minimapScale.home : null);
      for (const lane of larger) paint(lane, null);
    });
    paintBreaks(context, scene);
  }

  private paintSteps(context: CanvasRenderingContext2D, scene: Scene): void {
    const { steps, palette } = scene;
    let lastX = -4;
    steps.forEach((step, i) => {
      const x0 = minimapPx(scene, step.start_ps);
      const x1 = minimapPx(scene, step.start_ps + step.duration_ps);
      if (x1 - lastX < 2) return;
      lastX = x1;
      context.fillStyle = i % 2 === 0 ? palette.theme.strongLine : palette.theme.mutedText;
      context.fillRect(x0, 0, Math.max(1, x1 - x0), STEP_BAND_PX);
    });
  }

  /** How many of the tiles are loaded; counted again only after the cache has changed. */
  private loadedTiles(scene: Scene): number {
    const generation = this.source?.cache.generation ?? 0;
    if (generation !== this.generation) {
      this.generation = generation;
      this.loaded = 0;
      for (const track of scene.minimapTracks) this.loaded += this.lanesOf(scene, track).length;
    }
    return this.loaded;
  }

  /** The load of a track: of the whole session, then of what is drawn larger. */
  private lanesOf(scene: Scene, track: number): LaneTile[] {
    if (!this.source) return [];
    const { cache, rootLevel } = this.source;
    const index = tileIndexAt(rootLevel, scene.report.start_ps);
    const tiles = [cache.get(track, rootLevel, index)];
    const finer = overviewOf(scene);
    if (finer) {
      for (let at = finer.first; at <= finer.last; at++) {
        tiles.push(cache.get(track, finer.level, at));
      }
    }
    return tiles.flatMap((tile) => tile?.lanes[0] ?? []);
  }
}

/** Where the scale changes: two strokes across the band. */
function paintBreaks(context: CanvasRenderingContext2D, scene: Scene): void {
  const { geometry, palette } = scene;
  for (const share of breaksOf(scene.minimapScale)) {
    const x = Math.round(share * geometry.width);
    context.fillStyle = palette.theme.surface;
    context.fillRect(x - 3, 0, 6, MINIMAP_HEIGHT);
    context.strokeStyle = palette.theme.mutedText;
    context.lineWidth = 1;
    context.beginPath();
    for (const side of [-2.5, 2.5]) {
      context.moveTo(x + side + 1.5, 2);
      context.lineTo(x + side - 1.5, MINIMAP_HEIGHT - 3);
    }
    context.stroke();
  }
}

/** Pixel of a time on the minimap. */
export function minimapPx(scene: Scene, timePs: number): number {
  return shareOf(scene.minimapScale, timePs) * scene.geometry.width;
}

/** Time of a pixel on the minimap. */
export function minimapTime(scene: Scene, px: number): number {
  return timeAt(scene.minimapScale, px / scene.geometry.width);
}

/** Draws the busy share of each glyph as a height, in the color of its longest slice. */
function paintLoad(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lane: LaneTile,
  /** Drawn from finer tiles. */
  without: TimeWindow | null,
  top: number,
  height: number,
): void {
  const { palette, labels } = scene;
  for (let i = 0; i < lane.glyphCount; i++) {
    const startPs = lane.startPs[i]!;
    const durationPs = lane.durationPs[i]!;
    if (without && startPs < without.endPs && startPs + durationPs > without.startPs) continue;
    const x0 = minimapPx(scene, startPs);
    const width = Math.max(minimapPx(scene, startPs + durationPs) - x0, 0.5);
    const leastPs = minimapTime(scene, x0 + 0.5) - startPs;
    const busy = Math.min(1, lane.busyPs[i]! / Math.max(durationPs, leastPs, 1));
    const tall = Math.max(1, height * busy);
    context.fillStyle = palette.css[labels.slot[lane.label[i]!] ?? 0]!;
    context.fillRect(x0, top + height - tall, width, tall);
  }
}
