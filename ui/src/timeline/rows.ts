/**
 * The rows of a timeline: the user's choices about them, where they are placed, and how far they are
 * scrolled. Changes the layout and the geometry of the scene.
 */
import { createSignal } from 'solid-js';

import type { Top } from './address';
import { hostSectionsOf } from './host-sections';
import { groupRowOf, isFolded, placeRows, rowAt } from './layout';
import type { Layout, LayoutChoices, Row } from './layout';
import { mergedTrackOf } from './merged-track';
import { maxScrollY, rowTop, scrolledHeight, scrolledTop, type Scene } from './scene';
import { toggled, without } from './sets';

/** Share of the height that pinned tracks may take. */
const PINNED_SHARE = 0.6;

export class Rows {
  readonly choices;
  readonly layout;
  readonly scrollY = createSignal(0);

  constructor(
    private readonly scene: Scene,
    initial: LayoutChoices,
    /** Called when rows have moved. */
    private readonly onChange: () => void,
  ) {
    this.choices = createSignal<LayoutChoices>(initial);
    this.layout = createSignal<Layout>(scene.layout);
  }

  /** Changes which rows are shown, and how. */
  choose(changes: Partial<LayoutChoices>): void {
    this.choices[1]({ ...this.choices[0](), ...changes });
    this.place();
  }

  /** Adopts how deep tracks are in the window; the row at the anchor stays where it is. */
  adoptDepths(depths: ReadonlyMap<number, number>, anchorY: number): void {
    const { geometry } = this.scene;
    const before = this.rowFrom(anchorY);
    const offset = before ? rowTop(geometry, before) : 0;
    this.choices[1]({ ...this.choices[0](), depths });
    this.place();
    const after = before && this.sameRow(before);
    if (after) this.scrollTo(geometry.scrollY + rowTop(geometry, after) - offset);
  }

  place(): void {
    const { scene } = this;
    const { geometry } = scene;
    scene.layout = placeRows(this.scene.report, this.choices[0]());
    const room = Math.max(0, geometry.height - geometry.headHeight) * PINNED_SHARE;
    geometry.pinnedHeight = Math.round(Math.min(scene.layout.pinnedHeight, room));
    this.layout[1](scene.layout);
    this.scrollTo(geometry.scrollY);
  }

  scrollTo(y: number): void {
    const { geometry, layout } = this.scene;
    geometry.scrollY = Math.round(Math.min(Math.max(0, y), maxScrollY(geometry, layout)));
    this.scrollY[1](geometry.scrollY);
    this.onChange();
  }

  /** The first row in sight; null at the very top. */
  top(): Top | null {
    const scrollY = this.scrollY[0]();
    const row = scrollY > 0 ? rowAt(this.layout[0]().rows, scrollY) : undefined;
    if (!row) return null;
    const name = row.kind === 'group' ? row.group.name : row.track.track;
    return { row: name, offset: scrollY - row.y };
  }

  /** Scrolls so that a row is the first in sight. */
  showTop(top: Top | null): void {
    const called = (row: Row) =>
      (row.kind === 'group' ? row.group.name : row.track.track) === top?.row;
    const row = this.scene.layout.rows.find(called);
    if (!top) this.scrollTo(0);
    else if (row) this.scrollTo(row.y + top.offset);
  }

  /** Scrolls to the group of a device or host, by its name in reports. */
  revealPlace(place: string): void {
    let row = groupRowOf(this.scene.layout, place);
    if (row?.isSection && place !== row.group.name) {
      this.choose({ closedGroups: without(this.choices[0]().closedGroups, row.group.name) });
      row = groupRowOf(this.scene.layout, place);
    }
    if (row) this.scrollTo(row.y);
  }

  /** Makes a lane of a track visible: opens its group, unfolds it, scrolls to it. */
  revealTrack(track: number, lane: number): void {
    const group = this.scene.report.groups.find((candidate) =>
      candidate.tracks.some((member) => member.track === track),
    );
    const member = group?.tracks.find((candidate) => candidate.track === track);
    if (!group || !member) return;
    const { closedGroups, toggledFolds, hidden, filter } = this.choices[0]();
    const changes: Partial<LayoutChoices> = {};
    const section = hostSectionsOf(this.scene.report).get(group)?.name ?? group.name;
    if (closedGroups.has(group.name) || closedGroups.has(section)) {
      changes.closedGroups = without(without(closedGroups, group.name), section);
    }
    if (hidden.has(track)) changes.hidden = without(hidden, track);
    if (filter && !filter.test(`${group.name} / ${member.name}`)) {
      Object.assign(changes, { filter: null, filterText: '' });
    }
    const merged = mergedTrackOf(group);
    const isMerged = merged?.members.includes(track) ?? false;
    if (merged && isMerged && hidden.has(merged.track)) {
      changes.hidden = without(changes.hidden ?? hidden, merged.track);
    }
    if (lane > 0 && !isMerged && isFolded(member, { toggledFolds })) {
      changes.toggledFolds = toggled(toggledFolds, track);
    }
    const { depths } = this.choices[0]();
    if (lane >= (depths.get(track) ?? Infinity)) {
      changes.depths = new Map(depths).set(track, lane + 1);
    }
    if (Object.keys(changes).length > 0) this.choose(changes);
    this.scrollToLane(track, lane);
  }

  /** The row at a height of the scrolled section, or the first below. */
  private rowFrom(y: number): Row | undefined {
    const { geometry, layout } = this.scene;
    const inside = y - scrolledTop(geometry) + geometry.scrollY;
    return rowAt(layout.rows, Math.max(0, inside));
  }

  /** The row that shows the same after rows were placed anew. */
  private sameRow(row: Row): Row | undefined {
    if (row.kind === 'track') return this.scene.layout.rowOfTrack.get(row.track.track);
    return this.scene.layout.rows.find(
      (candidate) => candidate.kind === 'group' && candidate.group === row.group,
    );
  }

  scrollToLane(track: number, lane: number): void {
    const { geometry, layout } = this.scene;
    if (layout.pinned.some((row) => row.track.track === track && lane < row.laneCount)) return;
    const row = layout.rowOfTrack.get(track);
    if (!row) return;
    const laneHeight = row.height / Math.max(1, row.laneCount);
    const top = rowTop(geometry, row) + Math.min(lane, row.laneCount - 1) * laneHeight;
    const from = geometry.headHeight + geometry.pinnedHeight;
    if (top >= from && top + laneHeight <= geometry.height) return;
    this.scrollTo(geometry.scrollY + top - from - scrolledHeight(geometry) / 3);
  }
}
