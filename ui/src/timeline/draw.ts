/**
 * Draws one frame: rows, slices, counters and names, then overlays, rulers and minimap.
 * Called only when something changed.
 */
import { drawCounter, drawCounterScale } from './draw-counters';
import { drawFlows } from './draw-flows';
import { GhostLayer } from './draw-ghost';
import { drawIdle } from './draw-idle';
import { drawMarks } from './draw-marks';
import { veilOthers } from './draw-only-step';
import { drawArea, drawGridlines, drawMeasure, drawPointer } from './draw-overlays';
import { drawRulers } from './draw-rulers';
import { drawHoverAndSelection, drawInstants } from './draw-slices';
import {
  rowsBetween,
  SUMMARY_HEIGHT,
  SUMMARY_INSET,
  type GroupRow,
  type Row,
  type TrackRow,
} from './layout';
import { Minimap } from './minimap';
import { SliceLabels } from './labels-drawing';
import type { Segment } from './segments';
import { rowTop, scrolledTop, type Scene } from './scene';
import { GHOST_LIFT_PX } from './overlay';
import { Strips } from './strip-canvas';
import type { Projection } from './strips';

/** Figures of the last frame. */
export interface FrameStats {
  glyphs: number;
  labels: number;
  lanes: number;
}

/** Names in compact lanes are smaller. */
const COMPACT_FONT_PX = 8;
/** Lower lanes are compact. */
const COMPACT_BELOW_PX = 14;

const MAX_LANES = 400;

/** Whether some slices are dimmed: those that do not match a search, or that are not isolated. */
function isDimming({ isSearching, only }: Scene): boolean {
  return isSearching || only !== null;
}

/** Owns what is kept between frames. */
export class Renderer {
  readonly stats: FrameStats = { glyphs: 0, labels: 0, lanes: 0 };
  readonly minimap = new Minimap();
  private readonly strips = new Strips();
  private readonly names = new SliceLabels();
  private readonly ghosts = new GhostLayer();
  private readonly laneTop = new Float32Array(MAX_LANES);
  private readonly laneCenter = new Float32Array(MAX_LANES);
  private readonly laneSize = new Float32Array(MAX_LANES);
  private readonly projection: Projection = { originPs: 0, scale: 1, width: 1 };
  private measuredFont = '';
  private laneCount = 0;
  private pinnedLanes = 0;

  draw(context: CanvasRenderingContext2D, scene: Scene): void {
    const { geometry, layout, palette } = scene;
    const { width, height, ratio } = geometry;
    this.project(scene);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = palette.theme.background;
    context.fillRect(0, 0, width, height);
    const top = scrolledTop(geometry);
    const [first, last] = rowsBetween(
      layout.rows,
      geometry.scrollY,
      geometry.scrollY + height - top,
    );
    this.rasterise(scene, first, last);

    this.section(context, scene, top, height, layout.rows, first, last, this.pinnedLanes);
    if (layout.pinned.length > 0) this.pinnedSection(context, scene, top);

    context.save();
    context.beginPath();
    context.rect(0, geometry.headHeight, width, height - geometry.headHeight);
    context.clip();
    drawArea(context, scene);
    drawHoverAndSelection(context, scene);
    drawFlows(context, scene);
    drawMarks(context, scene);
    drawMeasure(context, scene);
    drawPointer(context, scene);
    context.restore();
    drawRulers(context, scene);
    this.minimap.draw(context, scene);
    this.stats.glyphs = this.strips.glyphCount;
    this.stats.labels = this.names.count;
    this.stats.lanes = this.laneCount;
  }

  /** Snaps time to whole device pixels, so that a pan moves everything by the same amount. */
  private project(scene: Scene): void {
    const { viewport, geometry } = scene;
    const devicePx = Math.max(1, Math.round(geometry.width * geometry.ratio));
    const psPerDevicePx = viewport.spanPs / devicePx;
    this.projection.originPs = Math.round(viewport.startPs / psPerDevicePx) * psPerDevicePx;
    this.projection.scale = 1 / psPerDevicePx;
    this.projection.width = devicePx;
  }

  /** Writes all visible lanes of both sections as strips, pinned ones first. */
  private rasterise(scene: Scene, first: number, last: number): void {
    const { layout, geometry } = scene;
    this.laneCount = 0;
    this.names.begin();
    const limit = Math.min(MAX_LANES, Math.ceil(geometry.height / layout.laneHeight) * 2 + 8);
    this.strips.begin(this.projection.width, limit);
    const pinnedBottom = geometry.headHeight + geometry.pinnedHeight;
    for (let i = 0; i < layout.pinned.length; i++) {
      this.rasteriseRow(scene, layout.pinned[i]!, geometry.headHeight, pinnedBottom, limit);
    }
    this.pinnedLanes = this.laneCount;
    for (let i = first; i < last; i++) {
      const row = layout.rows[i]!;
      if (row.kind === 'track') {
        this.rasteriseRow(scene, row, pinnedBottom, geometry.height, limit);
      } else if (row.isClosed && this.laneCount < limit) {
        this.rasteriseSummary(scene, row);
      }
    }
    this.strips.commit(this.laneCount);
    const inSight = [...layout.pinned, ...layout.rows.slice(first, last)];
    this.ghosts.prepare(scene, inSight, this.projection);
  }

  private rasteriseSummary(scene: Scene, row: GroupRow): void {
    const { plan, palette, labels } = scene;
    const strip = this.laneCount++;
    this.laneTop[strip] = rowTop(scene.geometry, row) + SUMMARY_INSET;
    this.laneCenter[strip] = 0;
    this.laneSize[strip] = SUMMARY_HEIGHT;
    const tracks = row.summary.map((track) => plan.segments(track));
    this.strips.summary(strip, tracks, this.projection, palette, labels, isDimming(scene));
  }

  private rasteriseRow(
    scene: Scene,
    row: TrackRow,
    clipTop: number,
    clipBottom: number,
    limit: number,
  ): void {
    if (row.isCounter) return;
    const segments = scene.plan.segments(row.track.track);
    const top = rowTop(scene.geometry, row);
    const { laneHeight } = scene.layout;
    for (let lane = 0; lane < row.laneCount && this.laneCount < limit; lane++) {
      const y = top + lane * laneHeight;
      if (y + laneHeight <= clipTop) continue;
      if (y >= clipBottom) break;
      const strip = this.laneCount++;
      this.laneTop[strip] = y;
      // The lower part of a lane shows the other step, if there is one.
      this.laneCenter[strip] = y + laneHeight / 2 - (scene.ghost ? GHOST_LIFT_PX : 0);
      this.laneSize[strip] = laneHeight - 1;
      this.strips.lane(
        strip,
        lane,
        segments,
        this.projection,
        scene.palette,
        scene.labels,
        isDimming(scene),
        this.names,
      );
    }
  }

  private pinnedSection(context: CanvasRenderingContext2D, scene: Scene, bottom: number): void {
    const { geometry, palette, layout } = scene;
    const top = geometry.headHeight;
    context.fillStyle = palette.theme.surface;
    context.fillRect(0, top, geometry.width, geometry.pinnedHeight);
    const rows = layout.pinned;
    this.section(context, scene, top, bottom, rows, 0, rows.length, 0, this.pinnedLanes);
    context.fillStyle = palette.theme.strongLine;
    context.fillRect(0, bottom - 1, geometry.width, 1);
  }

  private section(
    context: CanvasRenderingContext2D,
    scene: Scene,
    top: number,
    bottom: number,
    rows: readonly Row[],
    first: number,
    last: number,
    firstStrip: number,
    lastStrip = this.laneCount,
  ): void {
    const { geometry, palette, font } = scene;
    context.save();
    context.beginPath();
    context.rect(0, top, geometry.width, Math.max(0, bottom - top));
    context.clip();
    this.rowBackgrounds(context, scene, rows, first, last);
    drawGridlines(context, scene, top, bottom);
    for (let i = first; i < last; i++) {
      const row = rows[i]!;
      if (row.kind !== 'track') continue;
      const segments = scene.plan.segments(row.track.track);
      this.loading(context, scene, row, segments);
      if (row.isCounter) drawCounter(context, scene, row, segments, this.projection);
    }
    context.imageSmoothingEnabled = false;
    for (let strip = firstStrip; strip < lastStrip; strip++) {
      const [top, size] = [this.laneTop[strip]!, this.laneSize[strip]!];
      this.strips.blit(context, strip, top, geometry.width, size);
    }
    context.font = font;
    context.textBaseline = 'middle';
    context.textAlign = 'left';
    for (let i = first; i < last; i++) {
      const row = rows[i]!;
      drawIdle(context, scene, row);
      if (row.kind === 'track' && row.isCounter) drawCounterScale(context, scene, row);
    }
    this.ghosts.draw(context, scene, rows === scene.layout.pinned);
    context.font = font;
    const { laneHeight } = scene.layout;
    drawInstants(
      context,
      this.names,
      palette,
      this.laneTop,
      laneHeight - 1,
      firstStrip,
      lastStrip,
    );
    context.font = this.laneFont(scene);
    this.names.draw(
      context,
      scene.labels,
      palette,
      geometry.ratio,
      geometry.width,
      this.laneCenter,
      firstStrip,
      lastStrip,
    );
    for (let i = first; i < last; i++) veilOthers(context, scene, rows[i]!);
    context.restore();
  }

  /** The font of names; measured widths are forgotten when it changes. */
  private laneFont({ font, layout }: Scene): string {
    const isCompact = layout.laneHeight < COMPACT_BELOW_PX;
    const wanted = isCompact ? `${COMPACT_FONT_PX}px${font.slice(font.indexOf(' '))}` : font;
    if (wanted !== this.measuredFont) this.names.forget();
    this.measuredFont = wanted;
    return wanted;
  }

  private rowBackgrounds(
    context: CanvasRenderingContext2D,
    scene: Scene,
    rows: readonly Row[],
    first: number,
    last: number,
  ): void {
    const { geometry, palette } = scene;
    for (let i = first; i < last; i++) {
      const row = rows[i]!;
      const y = rowTop(geometry, row);
      if (row.kind === 'group') {
        context.fillStyle = palette.theme.surface;
        context.fillRect(0, y, geometry.width, row.height);
      }
      context.fillStyle = palette.theme.line;
      context.fillRect(0, y + row.height - 1, geometry.width, 1);
    }
  }

  /** Shades ranges that are not loaded yet, so that they do not look empty. */
  private loading(
    context: CanvasRenderingContext2D,
    scene: Scene,
    row: TrackRow,
    segments: readonly Segment[],
  ): void {
    const { geometry, palette, report } = scene;
    for (const segment of segments) {
      if (segment.tile) continue;
      const startPs = Math.max(segment.startPs, report.start_ps);
      const endPs = Math.min(segment.endPs, report.end_ps);
      const x0 = Math.max(0, scene.viewport.pxOfTime(startPs));
      const x1 = Math.min(geometry.width, scene.viewport.pxOfTime(endPs));
      if (x1 <= x0) continue;
      context.fillStyle = palette.theme.surface;
      context.fillRect(x0, rowTop(geometry, row) + 2, x1 - x0, row.height - 6);
    }
  }
}
