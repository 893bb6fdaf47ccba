/** A track that the page lays over those of the session: the rows of a query. */
import type { LabelReport } from '../wire/generated/LabelReport';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
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
