/**
 * What a frame shows: the geometry of the canvas and what the user has set. The controller owns
 * one scene and changes it; drawing and hit testing only read it.
 */
import type { ChainReport } from '../wire/generated/ChainReport';
import type { SliceDetails } from '../wire/generated/SliceDetails';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import type { TimelineStep } from '../wire/generated/TimelineStep';
import type { GapRow } from '../wire/generated/GapRow';
import type { Clock } from './clock';
import type { Ghost } from './ghost';
import type { MinimapScale } from './minimap-scale';
import type { IdleGaps } from './idle-gaps';
import type { LabelTable } from './labels';
import type { Layout, TrackRow } from './layout';
import type { OnlyStep } from './only-step';
import type { Mark } from './marks';
import type { Palette } from './palette';
import type { PathHit, PathRuler } from './path-ruler';
import type { DrawPlan } from './plan';
import type { Viewport } from './viewport';

export const MINIMAP_HEIGHT = 42;
export const RULER_HEIGHT = 22;
export const STEP_RULER_HEIGHT = 18;
export const PATH_RULER_HEIGHT = 18;

/** The slice that is selected. */
export interface SelectedSlice {
  ref: SliceRefReport;
  startPs: number;
  durationPs: number;
  /** Null until the server has answered. */
  details: SliceDetails | null;
}

/** A participant of the selected collective. */
export interface Participant {
  ref: SliceRefReport;
  startPs: number;
  durationPs: number;
  /** Whether the others waited for it. */
  isLast: boolean;
}

/** A range of time, over some tracks or all (null). */
export interface Area {
  startPs: number;
  endPs: number;
  tracks: readonly number[] | null;
}

/** The slice or merged slices under the pointer. */
export interface Hit {
  row: TrackRow;
  lane: number;
  startPs: number;
  durationPs: number;
  busyPs: number;
  /** How many slices it contains; 1 unless merged. */
  count: number;
  /** The slice, or the first of several. */
  ref: SliceRefReport;
  label: number;
}

/** A counter sample under the pointer. */
export interface CounterHit {
  row: TrackRow;
  timePs: number;
  minimum: number;
  maximum: number;
}

/** What the tooltip shows. */
export type Hover =
  | { kind: 'slice'; hit: Hit; x: number; y: number }
  | { kind: 'ghost'; hit: Hit; ghost: Ghost; x: number; y: number }
  | { kind: 'counter'; hit: CounterHit; x: number; y: number }
  | { kind: 'path'; hit: PathHit; x: number; y: number }
  | { kind: 'gap'; gap: GapRow; x: number; y: number }
  | { kind: 'words'; words: string; x: number; y: number };

/** The range of the measuring tool. */
export interface Measure {
  startPs: number;
  endPs: number;
}

/** Sizes in CSS pixels; `ratio` is device pixels per CSS pixel. */
export interface Geometry {
  width: number;
  height: number;
  ratio: number;
  /** Top of the rows, below minimap and rulers. */
  headHeight: number;
  hasStepRuler: boolean;
  /** Whether the critical path is shown under the step ruler. */
  hasPathRuler: boolean;
  /** Height of the pinned section on the screen. */
  pinnedHeight: number;
  scrollY: number;
}

/** Everything a frame depends on. */
export interface Scene {
  report: TimelineReport;
  viewport: Viewport;
  geometry: Geometry;
  layout: Layout;
  plan: DrawPlan;
  labels: LabelTable;
  palette: Palette;
  font: string;
  /** Steps on the ruler, those of one host or device, in time order. */
  steps: readonly TimelineStep[];
  /** How times read. */
  clock: Clock;
  /** Whether a step is selected in all views; null without a selection. */
  isStepSelected: ((step: number) => boolean) | null;
  /** The only step that is not dimmed; null for all. */
  onlyStep: OnlyStep | null;
  /** The step laid over another one; null for none. */
  ghost: Ghost | null;
  /** Tracks whose density the minimap shows, at the root tile. */
  minimapTracks: readonly number[];
  minimapScale: MinimapScale;
  /** The critical path of the selected steps. */
  path: PathRuler;
  /** Why devices are idle. */
  idle: IdleGaps;
  selection: SelectedSlice | null;
  /** The other participants of the selected collective. */
  participants: readonly Participant[];
  /** What leads to the selected slice and follows from it. */
  chain: ChainReport | null;
  hover: Hit | null;
  pointer: { x: number; y: number } | null;
  area: Area | null;
  marks: readonly Mark[];
  measure: Measure | null;
  isSearching: boolean;
  /** The only classes, scopes, … that are not dimmed; null for all. */
  only: ReadonlySet<string> | null;
  /** Times of the known matches, for the minimap. */
  matchTimes: readonly number[];
}

/** Height of minimap and rulers. */
export function headHeightOf(geometry: Pick<Geometry, 'hasStepRuler' | 'hasPathRuler'>): number {
  const steps = geometry.hasStepRuler ? STEP_RULER_HEIGHT : 0;
  const path = geometry.hasPathRuler ? PATH_RULER_HEIGHT : 0;
  return MINIMAP_HEIGHT + RULER_HEIGHT + steps + path;
}

/** Top of a row on the screen. */
export function rowTop(geometry: Geometry, row: { y: number; isPinnedCopy?: boolean }): number {
  if (row.isPinnedCopy) return geometry.headHeight + row.y;
  return scrolledTop(geometry) + row.y - geometry.scrollY;
}

/** Where the scrolled section begins on the screen. */
export function scrolledTop(geometry: Geometry): number {
  return geometry.headHeight + geometry.pinnedHeight;
}

/** Height of the scrolled section on the screen. */
export function scrolledHeight(geometry: Geometry): number {
  return Math.max(0, geometry.height - scrolledTop(geometry));
}

/** The maximum scroll position. */
export function maxScrollY(geometry: Geometry, layout: Layout): number {
  return Math.max(0, layout.height + 24 - scrolledHeight(geometry));
}

/** Adopts the size of the canvas in CSS pixels. */
export function sizeScene({ geometry, viewport }: Scene, width: number, height: number): void {
  geometry.width = Math.max(1, width);
  geometry.height = Math.max(1, height);
  viewport.widthPx = geometry.width;
}
