/** A track that the page lays over those of the session: the rows of a query. */
import type { LabelReport } from '../wire/generated/LabelReport';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TrackGroup } from '../wire/generated/TrackGroup';
import type { Segment } from './segments';

/** Its number; those of the session and of merged tracks are smaller. */
export const LAID_TRACK = 2 ** 25;
/** Its labels have numbers from here on. */
export const FIRST_LAID_LABEL = 2 ** 22;

export interface LaidTrack {
  /** With this track alone. */
  group: TrackGroup;
  labels: readonly LabelReport[];
  /** What is drawn in a range of tiles. */
  segments: (level: number, firstIndex: number, lastIndex: number) => Segment[];
  details: (ref: SliceRefReport) => SliceDetails | null;
}

/** What a scene does with it. */
interface Shows {
  report: TimelineReport;
  labels: { addOwn: (labels: readonly LabelReport[]) => void };
  plan: { lay: (laid: LaidTrack | null) => void };
}

/** The laid track of a timeline, if there is one, and who waits for it. */
export class Laid {
  private track: LaidTrack | null = null;
  private readonly waiting: (() => void)[] = [];

  /** Puts it above the tracks of the session's own report, or removes it. */
  show(track: LaidTrack | null, scene: Shows, own: TimelineReport): void {
    this.track = track;
    scene.report = track ? { ...own, groups: [track.group, ...own.groups] } : own;
    scene.labels.addOwn(track?.labels ?? []);
    scene.plan.lay(track);
    if (track) for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Of its slices by itself: a link may select one before the track is there. */
  async detailsOf(
    ref: SliceRefReport,
    api: { slice: (ref: SliceRefReport, signal: AbortSignal) => Promise<SliceDetails> },
    signal: AbortSignal,
  ): Promise<SliceDetails> {
    if (ref.track !== LAID_TRACK) return api.slice(ref, signal);
    if (!this.track) await new Promise<void>((resolve) => this.waiting.push(resolve));
    const details = signal.aborted ? null : this.track?.details(ref);
    if (!details) throw new DOMException('The query has no such row', 'AbortError');
    return details;
  }
}
