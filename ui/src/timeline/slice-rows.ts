/** Where a slice is drawn: on its own row, on that of a merged track, and on pinned copies. */
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import type { TrackRow } from './layout';
import { laneOf, refOf } from './merged-track';
import type { DrawPlan } from './plan';
import type { Scene } from './scene';

/** A lane of a row. */
export interface SliceRow {
  row: TrackRow;
  lane: number;
}

/** The rows that show a slice, pinned ones first. */
export function rowsOfSlice(scene: Scene, ref: SliceRefReport, startPs: number): SliceRow[] {
  const { layout, plan } = scene;
  const shows = (row: TrackRow) =>
    row.track.track === ref.track || row.members.includes(ref.track);
  const scrolled = layout.rowOfTrack.get(ref.track);
  const rows = [...layout.pinned.filter(shows), ...(scrolled ? [scrolled] : [])];
  return rows
    .map((row) => ({ row, lane: laneIn(plan, row, ref, startPs) }))
    .filter(({ row, lane }) => lane < row.laneCount);
}

/** The lane of a row on which a slice is; on a merged track, the first if it is not drawn alone. */
function laneIn(plan: DrawPlan, row: TrackRow, ref: SliceRefReport, startPs: number): number {
  if (row.members.length === 0) return ref.lane;
  return Math.max(0, laneOf(plan.segments(row.track.track)[0], ref, startPs));
}

/** The slice before or after one on the merged track that shows it; null if it is not known. */
export function neighborOnMerged(
  scene: Scene,
  ref: SliceRefReport,
  startPs: number,
  offset: 1 | -1,
): SliceRefReport | null {
  const row = scene.layout.rowOfTrack.get(ref.track);
  if (!row || row.members.length === 0) return null;
  const segment = scene.plan.segments(row.track.track)[0];
  const columns = segment?.tile?.lanes[laneOf(segment, ref, startPs)];
  if (!columns) return null;
  const own = columns.startPs.findIndex((start, i) => {
    const found = refOf(columns, i, 0, 0);
    return start === startPs && found.track === ref.track && found.index === ref.index;
  });
  const next = own + offset;
  return own >= 0 && next >= 0 && next < columns.glyphCount ? refOf(columns, next, 0, 0) : null;
}
