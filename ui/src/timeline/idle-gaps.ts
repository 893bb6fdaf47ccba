/**
 * Gaps on the rows of devices, with what the host did meanwhile: which row shows them, and what is
 * under a point.
 */
import type { GapRow } from '../wire/generated/GapRow';
import type { TrackReport } from '../wire/generated/TrackReport';
import type { IdleReport } from '../wire/generated/IdleReport';
import type { Row } from './layout';
import { rowTop, type Scene } from './scene';

/** The maximum number of gaps that are requested. */
export const GAP_LIMIT = 20_000;

/** Gaps by the number of their device, by start; those of one device never overlap. */
export type IdleGaps = ReadonlyMap<number, readonly GapRow[]>;

/** The gaps of a report. */
export function gapsOf(report: IdleReport): IdleGaps {
  const gaps = new Map<number, GapRow[]>();
  for (const gap of report.rows) {
    const known = gaps.get(gap.device_index);
    if (known) known.push(gap);
    else gaps.set(gap.device_index, [gap]);
  }
  for (const rows of gaps.values()) rows.sort((one, other) => one.start_ps - other.start_ps);
  return gaps;
}

/**
 * The gaps to draw on a row: on the row of a device that has most of its work, and on its summary. The
 * other rows of the device are idle in a gap, too, but that is said once.
 */
export function gapsOn(scene: Scene, row: Row): readonly GapRow[] {
  const { device_index: device, tracks } = row.group;
  const gaps = device === null ? undefined : scene.idle.get(device);
  if (!gaps) return [];
  if (row.kind === 'group') return row.isClosed ? gaps : [];
  const main = mainTrackOf(tracks);
  if (main === null) return [];
  if (row.members.includes(main)) return gaps;
  return row.track.track === main && !isMergedShown(scene, main) ? gaps : [];
}

/** The track of ops or kernels with most slices. */
function mainTrackOf(tracks: readonly TrackReport[]): number | null {
  let main: TrackReport | null = null;
  for (const track of tracks) {
    const isWork = track.role === 'ops' || track.role === 'stream';
    if (isWork && track.slice_count > (main?.slice_count ?? -1)) main = track;
  }
  return main?.track ?? null;
}

function isMergedShown(scene: Scene, track: number): boolean {
  return scene.layout.rows.some((row) => row.kind === 'track' && row.members.includes(track));
}

/** Index of the first gap that ends after the time. */
export function firstGapAfter(gaps: readonly GapRow[], timePs: number): number {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gaps[middle]!.start_ps + gaps[middle]!.duration_ps <= timePs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The gap under a point of a row, if the point is on its first lane. */
export function hitGap(scene: Scene, row: Row, x: number, y: number): GapRow | null {
  const height = row.kind === 'group' ? row.height : scene.layout.laneHeight;
  if (y >= rowTop(scene.geometry, row) + height) return null;
  const gaps = gapsOn(scene, row);
  const timePs = scene.viewport.timeOfPx(x);
  const gap = gaps[firstGapAfter(gaps, timePs)];
  return gap && gap.start_ps <= timePs ? gap : null;
}
