/**
 * The column left of the canvas: names of groups and tracks, folding, pinning, hiding, the filter.
 */
import { createMemo, For, lazy, Show } from 'solid-js';

import { formatCount, plural } from '../../format/numbers';
import { Icon } from '../../shell/icons';
import { namesOfAllGroups } from '../../timeline/host-sections';
import { patternError } from '../../format/pattern';
import {
  filterPattern,
  isFoldable,
  rowsBetween,
  type GroupRow,
  type Row,
  type TrackRow,
} from '../../timeline/layout';
import { hideTracks, togglePin } from '../../timeline/row-commands';
import { toggled } from '../../timeline/sets';
import type { Timeline } from '../../timeline/timeline';
import { titleOfTrack } from '../../timeline/track-title';
import { Late } from '../../widgets/late';
import { contextMenu } from '../../widgets/menu/menu';
import { Popover } from '../../widgets/popover';
import { Glyph } from './glyphs';
import { dragRow, dropLine, moveByKey } from './row-drag';
import { SearchRemark } from './search-remark';
import { chooseWithUndo, withUndo } from './undo';

const HiddenTracks = lazy(async () => ({ default: (await import('./later')).HiddenTracks }));

const OVERSCAN_PX = 80;
/** Kept free below a name with the focus, so that the next one can be seen. */
const FOCUS_ROOM_PX = 30;
const TAIL_CHARACTERS = 5;

export function Headers(props: { timeline: Timeline }) {
  const { geometry } = props.timeline.scene;
  /** Rows are placed anew as the window moves; by key, their elements and the focus stay. */
  const rowOf = createMemo(
    () => new Map(props.timeline.layout[0]().rows.map((row) => [keyOf(row), row])),
  );
  const visible = createMemo<string[]>(() => {
    const { rows } = props.timeline.layout[0]();
    const scrollY = props.timeline.scrollY[0]();
    const bottom = scrollY + geometry.height;
    const [first, last] = rowsBetween(rows, scrollY - OVERSCAN_PX, bottom + OVERSCAN_PX);
    return rows.slice(first, last).map(keyOf);
  });
  const pinned = createMemo(
    () => new Map(props.timeline.layout[0]().pinned.map((row) => [keyOf(row), row])),
  );
  const heights = createMemo(() => {
    props.timeline.layout[0]();
    return { head: geometry.headHeight, pinned: geometry.pinnedHeight };
  });
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    props.timeline.scrollTo(props.timeline.scrollY[0]() + event.deltaY);
  };

  const scrollBy = (y: number) =>
    y !== 0 && props.timeline.scrollTo(props.timeline.scrollY[0]() + y);
  // The browser scrolls to a name that gets the focus; the tracks must follow.
  const followScroll = (event: Event & { currentTarget: HTMLElement }) => {
    const { scrollTop } = event.currentTarget;
    event.currentTarget.scrollTop = 0;
    scrollBy(scrollTop);
  };
  // Immediately, so that the next row exists before the next press of Tab.
  const followFocus = (event: FocusEvent & { currentTarget: HTMLElement; target: Element }) => {
    followScroll(event);
    const [name, whole] = [event.target, event.currentTarget].map((one) =>
      one.getBoundingClientRect(),
    );
    const above = name!.top - whole!.top;
    const below = name!.bottom - whole!.bottom;
    scrollBy(above < 0 ? above : Math.max(0, below + FOCUS_ROOM_PX));
  };

  return (
    <div class="timeline-headers" onWheel={wheel}>
      <HeaderTools timeline={props.timeline} height={heights().head} />
      <div class="header-section is-pinned" style={{ height: `${heights().pinned}px` }}>
        <For each={[...pinned().keys()]}>
          {(key) => {
            const row = createMemo<TrackRow>((before) => pinned().get(key) ?? before!);
            return <TrackHeader row={row()} timeline={props.timeline} />;
          }}
        </For>
        <DropLine isPinned />
      </div>
      <div
        class="header-section is-scrolled"
        onScroll={followScroll}
        onFocusIn={followFocus}
      >
        <div style={{ transform: `translateY(${-props.timeline.scrollY[0]()}px)` }}>
          <For each={visible()}>
            {(key) => {
              const row = createMemo<Row>((before) => rowOf().get(key) ?? before!);
              return row().kind === 'group' ? (
                <GroupHeader row={row() as GroupRow} timeline={props.timeline} />
              ) : (
                <TrackHeader row={row() as TrackRow} timeline={props.timeline} />
              );
            }}
          </For>
          <DropLine />
        </div>
      </div>
    </div>
  );
}

/** Where the row that is being dragged would go. */
function DropLine(props: { isPinned?: boolean }) {
  const line = () => {
    const shown = dropLine();
    return shown?.isPinned === (props.isPinned ?? false) ? shown : null;
  };
  return (
    <Show when={line()}>
      {(at) => <div class="drop-line" style={{ top: `${at().y - 1}px` }} />}
    </Show>
  );
}

function keyOf(row: Row): string {
  return row.kind === 'group' ? `group ${row.group.name}` : `track ${row.track.track}`;
}

/** The corner: the filter, the rulers, and the hidden tracks. */
function HeaderTools(props: { timeline: Timeline; height: number }) {
  const text = () => props.timeline.choices[0]().filterText;
  const apply = (value: string) =>
    props.timeline.choose({ filter: filterPattern(value), filterText: value });
  const problem = () => patternError(text());
  const groups = () => namesOfAllGroups(props.timeline.report);
  const areAllClosed = () =>
    groups().every((name) => props.timeline.choices[0]().closedGroups.has(name));
  const toggleAll = () => {
    const [text, closed] = areAllClosed() ? ['All groups open', []] : ['All groups closed', groups()];
    chooseWithUndo(props.timeline, text, { closedGroups: new Set(closed) });
  };
  const hiddenCount = () => props.timeline.choices[0]().hidden.size;
  return (
    <div class="header-tools" style={{ height: `${props.height}px` }}>
      <input
        type="search"
        placeholder={`Filter ${plural(trackCount(props.timeline), 'track')}`}
        aria-label="Filter tracks by a regular expression"
        value={text()}
        aria-invalid={problem() !== ''}
        onInput={(event) => apply(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          apply('');
          event.currentTarget.blur();
        }}
      />
      <SearchRemark text={problem()} />
      <div class="header-actions">
        <StepPlaceChoice timeline={props.timeline} />
        <span class="spacer" />
        <Show when={hiddenCount() > 0}>
          <Popover
            class="quiet"
            tip="List the hidden tracks, to show them again"
            label={`${hiddenCount()} hidden`}
          >
            {(close) => (
              <Late>
                <HiddenTracks timeline={props.timeline} close={close} />
              </Late>
            )}
          </Popover>
        </Show>
        <button
          class="quiet"
          data-tip={areAllClosed() ? 'Open all groups' : 'Close all groups'}
          onClick={toggleAll}
        >
          {areAllClosed() ? 'Open all' : 'Close all'}
        </button>
      </div>
      <Show when={props.timeline.isPathShown[0]()}>
        <span class="path-label muted">Critical path</span>
      </Show>
    </div>
  );
}

/** Chooses whose steps the ruler shows: a step spans different times on each host and device. */
function StepPlaceChoice(props: { timeline: Timeline }) {
  const places = props.timeline.stepPlaces;
  const name = () => props.timeline.stepPlace[0]() || places[0]?.name;
  return (
    <Show when={places.length > 1}>
      <label class="step-place" data-tip="Host or device whose steps the ruler shows">
        <span class="muted">Steps</span>
        <select
          aria-label="Steps on the ruler"
          value={name()}
          onChange={(event) => props.timeline.showStepsOf(event.currentTarget.value)}
        >
          <For each={places}>{(place) => <option value={place.name}>{place.name}</option>}</For>
        </select>
      </label>
    </Show>
  );
}

function GroupHeader(props: { row: GroupRow; timeline: Timeline }) {
  const toggle = () => {
    const { isClosed, group } = props.row;
    const { closedGroups } = props.timeline.choices[0]();
    chooseWithUndo(props.timeline, `${group.name} ${isClosed ? 'opened' : 'closed'}`, {
      closedGroups: toggled(closedGroups, group.name),
    });
  };
  return (
    <button
      class="group-header"
      classList={{ 'is-inside': props.row.isInside }}
      style={{ top: `${props.row.y}px`, height: `${props.row.height}px` }}
      aria-expanded={!props.row.isClosed}
      data-tip={props.row.group.name}
      onClick={toggle}
      onPointerDown={(event) => dragRow(event, props.timeline, props.row)}
      onKeyDown={(event) => moveByKey(event, props.timeline, props.row)}
      onContextMenu={contextMenu(async () =>
        (await import('./later')).groupMenu(props.timeline, props.row),
      )}
    >
      <Icon name={props.row.isClosed ? 'right' : 'down'} />
      <span class="header-name">{props.row.group.name}</span>
      <span class="muted number">{props.row.trackCount}</span>
    </button>
  );
}

function TrackHeader(props: { row: TrackRow; timeline: Timeline }) {
  const track = () => props.row.track;
  const isPinned = () => props.timeline.choices[0]().pinned.includes(track().track);
  const fold = () => {
    if (!isFoldable(track())) return;
    const { toggledFolds } = props.timeline.choices[0]();
    props.timeline.choose({ toggledFolds: toggled(toggledFolds, track().track) });
  };
  const pin = () => togglePin(props.timeline, track().track);
  const hide = () =>
    withUndo(
      props.timeline,
      `${titleOfTrack(track())} hidden`,
      hideTracks(props.timeline, [track().track]),
    );
  return (
    <div
      class="track-header"
      classList={{
        'is-counter': props.row.isCounter,
        'is-compact': props.timeline.choices[0]().isCompact,
      }}
      style={{ top: `${props.row.y}px`, height: `${props.row.height}px` }}
      onContextMenu={contextMenu(async () =>
        (await import('./later')).trackMenu(props.timeline, props.row),
      )}
    >
      <button
        class="track-name"
        classList={{ 'is-foldable': isFoldable(track()) }}
        aria-expanded={isFoldable(track()) ? !props.row.isFolded : undefined}
        data-tip={tipOf(props.row)}
        onClick={fold}
        onPointerDown={(event) => dragRow(event, props.timeline, props.row)}
        onKeyDown={(event) => moveByKey(event, props.timeline, props.row)}
      >
        <Show when={isFoldable(track())} fallback={<span class="no-fold" />}>
          <Icon name={props.row.isFolded ? 'right' : 'down'} />
        </Show>
        <Show when={props.row.isPinnedCopy}>
          <span class="pinned-group muted">{props.row.group.name} /</span>
        </Show>
        <TrackName name={titleOfTrack(track())} />
        <Show when={props.row.isFolded && hiddenRows(props.row)}>
          {(count) => <span class="lane-count number">+{count()}</span>}
        </Show>
      </button>
      <span class="track-actions">
        <button
          class="quiet"
          classList={{ 'is-on': isPinned() }}
          aria-pressed={isPinned()}
          aria-label={isPinned() ? 'Unpin' : 'Pin to the top'}
          data-tip={isPinned() ? 'Unpin' : 'Pin to the top'}
          onClick={pin}
        >
          <Glyph name="pin" />
        </button>
        <button class="quiet" aria-label="Hide" data-tip="Hide this track" onClick={hide}>
          <Glyph name="hide" />
        </button>
      </span>
      <Show when={props.row.isCounter}>
        <span class="counter-scale muted number">{scaleText(props.row)}</span>
      </Show>
    </div>
  );
}

/** How many lanes or threads a folded row does not show. */
function hiddenRows(row: TrackRow): number {
  return row.members.length || row.track.lanes - 1;
}

/** A name whose last characters stay visible: names of threads differ there. */
function TrackName(props: { name: string }) {
  const pieces = () =>
    props.name.length > 4 * TAIL_CHARACTERS
      ? [props.name.slice(0, -TAIL_CHARACTERS), props.name.slice(-TAIL_CHARACTERS)]
      : [props.name, ''];
  return (
    <span class="header-name is-split">
      <span>{pieces()[0]}</span>
      <span>{pieces()[1]}</span>
    </span>
  );
}

/** What a counter's scale is: its unit, and what the reader chose. */
function scaleText({ track, scale }: TrackRow): string {
  return [
    track.counter_unit || 'unknown unit',
    ...(scale?.isLog ? ['log'] : []),
    ...(scale?.isShared ? ['shared scale'] : []),
  ].join(' · ');
}

function tipOf(row: TrackRow): string {
  const { track, group } = row;
  const what = row.isCounter ? 'samples' : 'slices';
  const lanes = track.lanes > 1 ? `, ${formatCount(track.lanes)} lanes` : '';
  if (row.members.length > 0) {
    const threads = plural(row.members.length, 'thread');
    const slices = `${formatCount(track.slice_count)} slices of ${threads}`;
    const how = 'in as few lanes as they need. Open it to see each thread.';
    return `${group.name} / ${titleOfTrack(track)}: ${slices}, ${how}`;
  }
  return `${group.name} / ${titleOfTrack(track)}: ${formatCount(track.slice_count)} ${what}${lanes}`;
}

function trackCount(timeline: Timeline): number {
  return timeline.report.groups.reduce((sum, group) => sum + group.tracks.length, 0);
}
