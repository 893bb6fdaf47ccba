/**
 * Another step over one of this timeline, in the same lanes and aligned at their starts: a step of the
 * same session or of the baseline. It has its own tiles, since it is at another time.
 */
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TimelineStep } from '../wire/generated/TimelineStep';
import type { TimelineApi } from './api';
import { hitGhost } from './hit-ghost';
import type { LabelTable } from './labels';
import { membersOf, tracksOf, type TrackRow } from './layout';
import { mergedTrackOf } from './merged-track';
import { onlyStepOf } from './only-step';
import { DrawPlan } from './plan';
import type { Hit, Scene } from './scene';
import type { Segment } from './segments';
import { stepPlacesOf } from './step-places';
import { TileCache } from './tile-cache';
import { rootLevel } from './tile-grid';
import { TileLoader } from './tiles';
import { limitsOf, type TimeWindow, type Viewport } from './viewport';

const BUDGET_BYTES = 64 * 2 ** 20;

/** The session that the other step is in. */
export interface GhostSource {
  report: TimelineReport;
  api: TimelineApi;
  labels: LabelTable;
}

/** A step drawn over another one. */
export class Ghost {
  readonly labels: LabelTable;
  /** Whether the other step is one of the same session. */
  readonly isOfOwn: boolean;
  private readonly plan: DrawPlan;
  private readonly loader: TileLoader;
  private readonly rootLevel: number;
  private readonly members: ReadonlyMap<number, readonly number[]>;
  /** The track of the other step's session that is drawn on a row; null if it has none. */
  readonly trackOf: (row: TrackRow) => number | null;
  private readonly spans: (group: string) => TimeWindow | null;
  private readonly session: TimeWindow;
  private wanted = '';

  constructor(
    own: TimelineReport,
    { report, api, labels }: GhostSource,
    /** Time of the other step − time of the own one. */
    readonly shiftPs: number,
    readonly other: TimelineStep,
    steps: readonly TimelineStep[],
    onArrival: () => void,
  ) {
    this.labels = labels;
    this.isOfOwn = report === own;
    this.session = { startPs: report.start_ps, endPs: report.end_ps };
    const limits = limitsOf(report.start_ps, report.end_ps);
    this.rootLevel = rootLevel(limits.startPs, limits.endPs);
    const cache = new TileCache(BUDGET_BYTES);
    const merged = report.groups.flatMap((group) => mergedTrackOf(group) ?? []);
    const members = new Map(merged.map((track) => [track.track, track.members]));
    this.plan = new DrawPlan(cache, this.rootLevel, members);
    this.members = members;
    this.trackOf = this.isOfOwn ? (row) => row.track.track : counterparts(report);
    this.spans = onlyStepOf(stepPlacesOf(report), steps, other.step).spanOn;
    this.loader = new TileLoader(
      cache,
      (start, end, tracks, signal) => api.tile(start, end, tracks, signal),
      (tile) => {
        labels.request(tile.tracks);
        onArrival();
      },
      () => undefined,
    );
  }

  /** Whether everything in sight is loaded and composed. */
  get settled(): boolean {
    return this.loader.settled && !this.plan.isBehind;
  }

  /** Whether a later frame composes the rest. */
  get isBehind(): boolean {
    return this.plan.isBehind;
  }

  dispose(): void {
    this.loader.dispose();
  }

  /** Adopts the window and the rows in sight. */
  update(viewport: Viewport, rows: readonly TrackRow[]): void {
    const window = {
      startPs: viewport.startPs + this.shiftPs,
      endPs: viewport.endPs + this.shiftPs,
    };
    this.plan.update(window, viewport.psPerPx);
    const tracks = rows.flatMap((row) => {
      const track = row.isCounter ? null : this.trackOf(row);
      return track === null ? [] : (this.members.get(track) ?? [track]);
    });
    const { level, firstIndex, lastIndex } = this.plan;
    const wanted = [level, firstIndex, lastIndex, ...tracks].join(',');
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    this.loader.want({
      window,
      session: this.session,
      level,
      rootLevel: this.rootLevel,
      visible: [...new Set(tracks)],
      nearby: [],
      anchorPs: (window.startPs + window.endPs) / 2,
    });
  }

  /** The slice of the other step under a point, in the times and on the tracks of its session. */
  hit(scene: Scene, x: number, y: number): Hit | null {
    return hitGhost(scene, x, y);
  }

  /** What to draw on a row, in times of the other step; none if its session lacks the track. */
  segments(row: TrackRow): readonly Segment[] {
    const track = this.trackOf(row);
    return track === null ? [] : this.plan.segments(track);
  }

  /** When the other step ran on the row's host or device, in times of this timeline. */
  spanOn(group: string): TimeWindow | null {
    const span = this.spans(group);
    return (
      span && { startPs: span.startPs - this.shiftPs, endPs: span.endPs - this.shiftPs }
    );
  }
}

/** Tracks of another session by the names of their group and their own. */
function counterparts(report: TimelineReport): (row: TrackRow) => number | null {
  const byName = new Map<string, number>();
  for (const group of report.groups) {
    for (const track of tracksOf(group)) {
      const name = nameOf(group.name, track.name, membersOf(track).length > 0);
      if (!byName.has(name)) byName.set(name, track.track);
    }
  }
  return ({ group, track, members }) =>
    byName.get(nameOf(group.name, track.name, members.length > 0)) ?? null;
}

const nameOf = (group: string, track: string, isMerged: boolean) =>
  [group, track, isMerged ? 'merged' : ''].join('\n');
