/** What keys and buttons do to a timeline; the key bindings are elsewhere. */
import { createSignal } from 'solid-js';

import type { GapRow } from '../wire/generated/GapRow';
import type { SearchSlice } from '../wire/generated/SearchSlice';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import { groupRowOf } from './layout';
import { refOf } from './merged-track';
import { beside, isAbout, type Occurrences } from './occurrences';
import { markOf, MOST_MARKS, withoutMark, type Mark } from './marks';
import type { SelectedSlice } from './scene';
import { stepIndexAt, stepIndexFrom } from './step-index';
import { neighborOnMerged } from './slice-rows';
import type { Timeline } from './timeline';
import { fitAll, fitRange, reveal, zoomAt, type TimeWindow } from './viewport';

/** Commands on one timeline. */
export class Commands {
  /** The slices with the name of the selected one, once requested. */
  readonly occurrences = createSignal<Occurrences | null>(null);

  constructor(private readonly timeline: Timeline) {}

  /** Requests the slices with the name of the selected one, unless they are known. */
  async loadOccurrences(): Promise<Occurrences | null> {
    const { selection } = this.timeline.scene;
    const name = selection?.details?.name;
    if (!selection || name === undefined) return null;
    const known = this.occurrences[0]();
    if (known && isAbout(known, name, selection)) return known;
    const { startPs, durationPs } = selection;
    const found = await this.timeline.api
      .occurrences(name, { startPs, durationPs })
      .catch(() => null);
    // Moving on quickly, a later answer may have come first.
    if (found && this.timeline.scene.selection?.startPs === startPs) this.occurrences[1](found);
    return found;
  }

  /** Goes to the slice before or after the selected one that has the same name, on any track. */
  async sameName(offset: 1 | -1): Promise<void> {
    const found = await this.loadOccurrences();
    const ref = this.timeline.scene.selection?.ref;
    if (found && ref) this.showMatch(beside(found, ref, offset));
  }

  /** Zooms to the selection or the area; if it already fills the window, or without either, zooms out. */
  focus(): void {
    const { viewport, selection, area } = this.timeline.scene;
    const range = selection ? rangeOf(selection) : area;
    const all = fitAll(viewport.limits);
    if (!range) return this.timeline.jumpTo(all);
    const wanted = fitRange(range.startPs, range.endPs, viewport.limits);
    this.timeline.jumpTo(sameWindow(viewport.target, wanted) ? all : wanted);
    if (selection) this.timeline.revealTrack(selection.ref.track, selection.ref.lane);
  }

  reset(): void {
    this.timeline.jumpTo(fitAll(this.timeline.scene.viewport.limits));
  }

  /** Shows this many times as much around the middle of the window. */
  zoomBy(factor: number): void {
    const { target, limits } = this.timeline.scene.viewport;
    this.timeline.jumpTo(zoomAt(target, factor, 0.5, limits));
  }

  zoomTo(range: TimeWindow): void {
    const { limits } = this.timeline.scene.viewport;
    this.timeline.jumpTo(fitRange(range.startPs, range.endPs, limits));
  }

  /** Selects a slice and makes it visible. */
  async goTo(
    ref: SliceRefReport,
    known?: { startPs: number; durationPs: number },
  ): Promise<SelectedSlice | null> {
    if (known) this.show(ref, known);
    const selected = await this.timeline.select(ref, known);
    if (selected && !known) this.show(selected.ref, selected);
    return selected;
  }

  /** Selects the next or previous slice in the lane of the selected one. */
  async neighbor(offset: 1 | -1): Promise<void> {
    const { scene } = this.timeline;
    if (!scene.selection) return this.selectFirstVisible();
    const { ref, startPs } = scene.selection;
    const index = ref.index + offset;
    const next = neighborOnMerged(scene, ref, startPs, offset);
    if (next ?? index >= 0) await this.goTo(next ?? { ...ref, index });
  }

  async parent(): Promise<void> {
    const parent = this.timeline.scene.selection?.details?.parent;
    if (parent) await this.goTo(parent);
  }

  async child(): Promise<void> {
    const child = this.timeline.scene.selection?.details?.first_child;
    if (child) await this.goTo(child);
  }

  /** Follows the first arrow out of the selected slice, or into it. */
  async followFlow(direction: 'out' | 'in'): Promise<void> {
    const flows = this.timeline.scene.selection?.details?.flows ?? [];
    const flow = flows.find((candidate) => candidate.is_outgoing === (direction === 'out'));
    if (!flow) return;
    const { other, other_start_ps, other_duration_ps } = flow;
    await this.goTo(other, { startPs: other_start_ps, durationPs: other_duration_ps });
  }

  /** Marks the selection, the area, or the time at the pointer; removes the mark that is there. */
  mark(isKept: boolean): void {
    const { marks } = this.timeline.scene;
    const range = this.marked();
    const existing = marks.find((mark) => isSameTime(mark, range));
    if (existing && (existing.isKept || !isKept)) {
      return this.timeline.setMarks(withoutMark(marks, marks.indexOf(existing)));
    }
    this.addMark(markOf(range, isKept));
  }

  /** Marks the same, or a range on a track, and shows the mark in the list, to be given a text. */
  describe(range: TimeWindow = this.marked(), track?: number): void {
    const { marks } = this.timeline.scene;
    const known = marks.findIndex((mark) => mark.isKept && isSameTime(mark, range));
    if (known < 0 && !this.addMark(markOf(range, true, track))) return;
    this.timeline.chosenMark[1](known < 0 ? this.timeline.scene.marks.length - 1 : known);
  }

  private addMark(mark: Mark): boolean {
    const kept = this.timeline.scene.marks.filter((each) => each.isKept);
    const hasRoom = kept.length < MOST_MARKS;
    if (hasRoom) this.timeline.setMarks([...kept, mark]);
    else this.timeline.error[1](`A link can hold ${MOST_MARKS} marks. Delete one to make another.`);
    return hasRoom;
  }

  /** What is marked. */
  private marked(): TimeWindow {
    const { selection, area, pointer, viewport } = this.timeline.scene;
    const timePs = viewport.timeOfPx(pointer?.x ?? viewport.widthPx / 2);
    return (selection ? rangeOf(selection) : area) ?? { startPs: timePs, endPs: timePs };
  }

  /** Turns the selected slice into an area over all tracks. */
  selectionToArea(): void {
    const { selection } = this.timeline.scene;
    if (!selection || selection.durationPs <= 0) return;
    this.timeline.setArea({ ...rangeOf(selection), tracks: null });
  }

  /**
   * Shows the step after or before the one in the middle of the window. From a window of several steps,
   * `n` goes to the first in it and `p` to the last.
   */
  step(offset: 1 | -1): void {
    const { steps, viewport } = this.timeline.scene;
    if (steps.length === 0) return;
    const { startPs, endPs } = viewport.target;
    const spanPs = endPs - startPs;
    const at = stepIndexAt(steps, (startPs + endPs) / 2);
    const shown = steps[at];
    const { limits } = viewport;
    const isWhole = startPs <= limits.startPs && endPs >= limits.endPs;
    const isWide = isWhole || (shown !== undefined && spanPs > 2 * shown.duration_ps);
    // In a wide window, the first and the last step in it are where n and p begin.
    const edge =
      offset > 0 ? stepIndexFrom(steps, startPs) : stepIndexAt(steps, endPs - 1);
    const index = isWide ? edge : at + offset;
    const step = steps[Math.min(Math.max(index, 0), steps.length - 1)]!;
    this.timeline.jumpTo(fitRange(step.start_ps, step.start_ps + step.duration_ps, limits, 0.04));
  }

  /** Selects the time of a gap as an area, and the slice that caused it. */
  selectGap(gap: GapRow): void {
    const range = { startPs: gap.start_ps, endPs: gap.start_ps + gap.duration_ps };
    this.timeline.setArea({ ...range, tracks: null });
    if (gap.slice) void this.reach(gap.slice);
  }

  /**
   * Selects what caused a range at a place: `idle`, or the op of `op:NAME`. If nothing is known to have,
   * the range on the rows of the place.
   */
  async showCause(cause: string, range: TimeWindow, place: string): Promise<void> {
    const { api, scene } = this.timeline;
    const name = /^op:(.+)$/.exec(cause)?.[1];
    // A thread has no gaps of its own: what counts is what any device waited for.
    const group = groupRowOf(scene.layout, place)?.group;
    const of = group ? place : '';
    const found = name ? api.sliceCalled(name, range, place) : api.causeOfGap(range, of);
    const slice = await found.catch(() => null);
    if (slice) return void (await this.reach(slice));
    if (!group || scene.selection) return;
    // Nothing on a thread explains it: the range is selected on the rows of the device alone.
    this.timeline.setArea({ ...range, tracks: group.tracks.map(({ track }) => track) });
    this.timeline.rows.revealPlace(place);
  }

  /** Selects a slice and makes its track visible, and leaves the window as it is. */
  async reach(ref: SliceRefReport): Promise<void> {
    const selected = await this.timeline.select(ref);
    if (selected) this.timeline.revealTrack(ref.track, ref.lane);
  }

  /** Shows or hides the critical path under the step ruler. */
  togglePath(): void {
    this.timeline.showPath(!this.timeline.isPathShown[0]());
  }

  async nextMatch(): Promise<void> {
    const { viewport } = this.timeline.scene;
    this.showMatch(await this.timeline.search.next(viewport.target.startPs));
  }

  async previousMatch(): Promise<void> {
    const { viewport } = this.timeline.scene;
    this.showMatch(await this.timeline.search.previous(viewport.target.startPs));
  }

  showMatch(match: SearchSlice | null): void {
    if (!match) return;
    void this.goTo(match.slice, { startPs: match.start_ps, durationPs: match.duration_ps });
  }

  /** Clears one thing at a time: measure, selection, area, temporary marks, search. */
  clear(): boolean {
    const { scene } = this.timeline;
    if (scene.measure) this.timeline.setMeasure(null);
    else if (scene.selection) void this.timeline.select(null);
    else if (scene.area) this.timeline.setArea(null);
    else if (scene.marks.some((mark) => !mark.isKept)) {
      this.timeline.setMarks(scene.marks.filter((mark) => mark.isKept));
    } else if (scene.isSearching) this.timeline.setQuery('');
    else return false;
    return true;
  }

  private show(ref: SliceRefReport, slice: { startPs: number; durationPs: number }): void {
    const { viewport } = this.timeline.scene;
    const range = { startPs: slice.startPs, endPs: slice.startPs + slice.durationPs };
    const target = viewport.target;
    let next = reveal(target, range, viewport.limits);
    // Zooms in on a slice that would be too small to see.
    const px = (slice.durationPs / (next.endPs - next.startPs)) * viewport.widthPx;
    if (px < 2 && slice.durationPs > 0) {
      const halfPs = slice.durationPs * 100;
      const center = (range.startPs + range.endPs) / 2;
      next = { startPs: center - halfPs, endPs: center + halfPs };
    }
    if (next !== target) this.timeline.jumpTo(next);
    this.timeline.revealTrack(ref.track, ref.lane);
  }

  private async selectFirstVisible(): Promise<void> {
    const { layout, plan, viewport } = this.timeline.scene;
    for (const row of layout.rows) {
      if (row.kind !== 'track' || row.isCounter) continue;
      for (const segment of plan.segments(row.track.track)) {
        const lane = segment.tile?.lanes[0];
        const at = lane?.startPs.findIndex((start) => start >= viewport.startPs) ?? -1;
        if (lane && at >= 0) {
          await this.goTo(refOf(lane, at, row.track.track, 0));
          return;
        }
      }
    }
  }
}

function rangeOf(selection: SelectedSlice): TimeWindow {
  return { startPs: selection.startPs, endPs: selection.startPs + selection.durationPs };
}

/** Whether two ranges are the same as they are kept, in whole picoseconds. */
function isSameTime(one: TimeWindow, other: TimeWindow): boolean {
  const isSame = (a: number, b: number) => Math.round(a) === Math.round(b);
  return isSame(one.startPs, other.startPs) && isSame(one.endPs, other.endPs);
}

/** Whether two windows look the same: they differ by less than a hundredth. */
function sameWindow(one: TimeWindow, other: TimeWindow): boolean {
  const tolerance = (one.endPs - one.startPs) / 100;
  return (
    Math.abs(one.startPs - other.startPs) < tolerance &&
    Math.abs(one.endPs - other.endPs) < tolerance
  );
}
