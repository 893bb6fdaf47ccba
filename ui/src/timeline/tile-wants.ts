/** Which tracks need tiles: those on the screen first, then those just above and below. */
import { rowsBetween, tracksOfRow, type TrackRow } from './layout';
import { scrolledHeight, type Scene } from './scene';
import { lastTileIndex, levelForResolution, tileIndexAt } from './tile-grid';
import type { Overview, TileView } from './tiles';

/** The part of the scene for which tiles were requested. */
export class WantedRows {
  private level = -1;
  private firstIndex = 0;
  private lastIndex = 0;
  private firstRow = 0;
  private lastRow = 0;

  /** Requests everything again: rows have moved. */
  forget(): void {
    this.level = -1;
  }

  /** The tiles that the scene needs; null if they are the same as before. */
  next(scene: Scene, rootLevel: number): TileView | null {
    const { geometry, layout, plan } = scene;
    const height = scrolledHeight(geometry);
    const [first, last] = rowsBetween(layout.rows, geometry.scrollY, geometry.scrollY + height);
    if (
      this.level === plan.level &&
      this.firstIndex === plan.firstIndex &&
      this.lastIndex === plan.lastIndex &&
      this.firstRow === first &&
      this.lastRow === last
    ) {
      return null;
    }
    this.level = plan.level;
    this.firstIndex = plan.firstIndex;
    this.lastIndex = plan.lastIndex;
    this.firstRow = first;
    this.lastRow = last;
    return viewOf(scene, first, last, rootLevel);
  }
}

/** The rows of tracks on the screen, pinned ones first. */
export function rowsInSight({ geometry, layout }: Scene): TrackRow[] {
  const bottom = geometry.scrollY + scrolledHeight(geometry);
  const [first, last] = rowsBetween(layout.rows, geometry.scrollY, bottom);
  const shown = [...layout.pinned, ...layout.rows.slice(first, last)];
  return shown.filter((row): row is TrackRow => row.kind === 'track');
}

/** The tiles of the part of the minimap that is drawn larger. */
export function overviewOf({ minimapScale: { home }, minimapTracks, geometry }: Scene): Overview | null {
  if (!home) return null;
  const level = levelForResolution((home.endPs - home.startPs) / Math.max(1, geometry.width));
  const [first, last] = [tileIndexAt(level, home.startPs), lastTileIndex(level, home.endPs)];
  return { level, first, last, tracks: minimapTracks };
}

function viewOf(scene: Scene, first: number, last: number, rootLevel: number): TileView {
  const { geometry, layout, viewport, plan, pointer, report } = scene;
  const height = scrolledHeight(geometry);
  const from = Math.max(0, geometry.scrollY - height / 2);
  const [nearFirst, nearLast] = rowsBetween(layout.rows, from, from + height * 2);
  const visible = new Set(layout.pinned.flatMap(tracksOfRow));
  const nearby = new Set(scene.minimapTracks);
  for (let i = nearFirst; i < nearLast; i++) {
    const found = i >= first && i < last ? visible : nearby;
    for (const track of tracksOfRow(layout.rows[i]!)) found.add(track);
  }
  for (const track of visible) nearby.delete(track);
  return {
    window: viewport,
    session: { startPs: report.start_ps, endPs: report.end_ps },
    level: plan.level,
    rootLevel,
    overview: overviewOf(scene),
    visible: [...visible],
    nearby: [...nearby],
    anchorPs: viewport.timeOfPx(pointer?.x ?? geometry.width / 2),
  };
}
