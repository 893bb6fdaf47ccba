/** Draws the step that lies over another one: as a strip in the lower part of the same lanes. */
import { drawGaps } from './draw-idle';
import type { Row, TrackRow } from './layout';
import { ghostHeight } from './overlay';
import { rowTop, type Scene } from './scene';
import { Strips } from './strip-canvas';
import type { LabelSink, Projection } from './strips';

const MOST_LANES = 300;

const NO_NAMES: LabelSink = { add: () => undefined, addInstant: () => undefined };

interface Lane {
  strip: number;
  row: TrackRow;
  lane: number;
}

export class GhostLayer {
  private readonly strips = new Strips();
  private lanes: Lane[] = [];

  /** Writes the lanes of the other step for the rows in sight. */
  prepare(scene: Scene, rows: readonly Row[], projection: Projection): void {
    const { ghost, palette } = scene;
    this.lanes = [];
    if (!ghost) return;
    const shifted = { ...projection, originPs: projection.originPs + ghost.shiftPs };
    this.strips.begin(projection.width, MOST_LANES);
    for (const row of rows) {
      if (row.kind !== 'track' || row.isCounter) continue;
      const segments = ghost.segments(row);
      for (let lane = 0; lane < row.laneCount && this.lanes.length < MOST_LANES; lane++) {
        const strip = this.lanes.length;
        this.strips.lane(strip, lane, segments, shifted, palette, ghost.labels, false, NO_NAMES);
        this.lanes.push({ strip, row, lane });
      }
    }
    this.strips.commit(this.lanes.length);
  }

  /** Draws it on one section's rows. */
  draw(context: CanvasRenderingContext2D, scene: Scene, isPinned: boolean): void {
    const { ghost, geometry, layout, viewport, palette } = scene;
    if (!ghost) return;
    const height = ghostHeight(layout.laneHeight);
    for (const { strip, row, lane } of this.lanes) {
      const span = ghost.spanOn(row.group.name);
      if (row.isPinnedCopy !== isPinned || !span) continue;
      const from = Math.max(0, viewport.pxOfTime(span.startPs));
      const until = Math.min(geometry.width, viewport.pxOfTime(span.endPs));
      if (until <= from) continue;
      const y = rowTop(geometry, row) + (lane + 1) * layout.laneHeight - 1 - height;
      context.save();
      context.beginPath();
      context.rect(from, y - 1, until - from, height + 1);
      context.clip();
      context.fillStyle = palette.theme.background;
      context.fillRect(from, y - 1, until - from, height + 1);
      context.globalAlpha = 0.75;
      this.strips.blit(context, strip, y, geometry.width, height);
      // Of the baseline, gaps are not known here.
      if (ghost.isOfOwn && lane === 0) drawGaps(context, scene, row, y, height, ghost.shiftPs);
      context.restore();
    }
  }
}
