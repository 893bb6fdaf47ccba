/** Below the timeline: the selected slice, the table of the area, the matches of the search. */
import { createEffect, createSignal, For, Match, onCleanup, onMount, Show, Switch } from 'solid-js';

import { Icon } from '../../shell/icons';
import { shared } from '../../shell/shared';
import type { Commands } from '../../timeline/commands';
import type { Timeline } from '../../timeline/timeline';
import { returnFocus } from '../../widgets/return-focus';
import { Tabs } from '../../widgets/tabs/tabs';
import type { TimelineReport } from '../../wire/generated/TimelineReport';
import type { Counterpart } from './baseline-stage';
import { AreaPanel } from './area-panel';
import { dockOf, docks, setDock } from './dock';
import { Glyph } from './glyphs';
import { MarksPanel } from './marks-panel';
import { NestingPanel } from './nesting-panel';
import { OccurrencesPanel } from './occurrences-panel';
import { SearchPanel } from './search-panel';
import { SlicePanel } from './slice-panel';
import { Splitter } from './splitter';
import './drawer.css';
import './slice-related.css';

export type DrawerTab = 'slice' | 'nesting' | 'occurrences' | 'area' | 'search' | 'marks';

export interface PanelProps {
  timeline: Timeline;
  commands: Commands;
  session: string;
  /** What the other session has for the selected slice. */
  counterpart?: Counterpart | null | undefined;
  /** The baseline that areas are compared with; none without one, and for areas of the baseline. */
  against?: { report: TimelineReport; session: string } | undefined;
}

interface DrawerProps extends PanelProps {
  tab: DrawerTab;
  onTab: (tab: DrawerTab) => void;
  onClose: () => void;
  /** Starts lower, to leave room for two timelines. */
  isLow?: boolean;
}

const FIRST_SHARE = 0.34;
const LOW_SHARE = 0.26;

const LEAST_PX = 120;
const MOST_SHARE = 0.75;
const FIRST_WIDTH_SHARE = 0.38;

export function Drawer(props: DrawerProps) {
  const [height, setHeight] = createSignal(
    Math.round(window.innerHeight * (props.isLow ? LOW_SHARE : FIRST_SHARE)),
  );
  const [width, setWidth] = createSignal(Math.round(window.innerWidth * FIRST_WIDTH_SHARE));
  const isRight = () => dockOf() === 'right';
  const most = () => (isRight() ? window.innerWidth : window.innerHeight) * MOST_SHARE;
  const size = () =>
    dockOf() === 'bottom' ? { height: `${height()}px` } : { '--drawer-width': `${width()}px` };
  // The tracks leave room at the right.
  let section!: HTMLElement;
  onMount(() => returnFocus(section));
  createEffect(() => {
    const room = isRight() ? `${width()}px` : '';
    const tracks = section.parentElement;
    if (tracks) tracks.style.paddingRight = room;
    onCleanup(() => tracks?.style.removeProperty('padding-right'));
  });
  const matches = () => props.timeline.search.state().matchCount;
  const markCount = () => props.timeline.marks[0]().filter((mark) => mark.isKept).length;
  const tabs = () => [
    { name: 'slice', title: 'Slice' },
    // A single-file report has no server that could answer.
    ...(shared()
      ? []
      : [
          { name: 'nesting', title: 'Nesting' },
          { name: 'occurrences', title: 'Same name' },
        ]),
    { name: 'area', title: 'Area' },
    { name: 'search', title: 'Matches', count: matches() > 0 ? matches() : undefined },
    { name: 'marks', title: 'Marks', count: markCount() > 0 ? markCount() : undefined },
  ];
  return (
    <section
      ref={section}
      class={`drawer is-${dockOf()}`}
      style={size()}
      aria-label="Details"
    >
      <Show when={dockOf() !== 'full'}>
        <Splitter
          class="drawer-handle"
          label={isRight() ? 'Width of the details' : 'Height of the details'}
          size={isRight() ? width() : height()}
          least={LEAST_PX}
          most={most()}
          grows={isRight() ? 'left' : 'up'}
          onSize={isRight() ? setWidth : setHeight}
        />
      </Show>
      <header class="drawer-tabs">
        <Tabs
          class="drawer-list"
          label="Details"
          entries={tabs()}
          chosen={props.tab}
          onChoose={(tab) => props.onTab(tab as DrawerTab)}
          panel="drawer-panel"
        />
        <span class="spacer" />
        <span class="drawer-docks" role="group" aria-label="Place of the details">
          <For each={docks()}>
            {({ dock, title, glyph }) => (
              <button
                class="quiet icon-button"
                aria-label={title}
                aria-pressed={dockOf() === dock}
                data-tip={title}
                onClick={() => setDock(dock)}
              >
                <Glyph name={glyph} />
              </button>
            )}
          </For>
        </span>
        <button
          class="quiet icon-button"
          aria-label="Close the details (q or Esc)"
          data-tip="Close the details (q or Esc)"
          onClick={() => props.onClose()}
        >
          <Icon name="close" />
        </button>
      </header>
      <div class="drawer-content" id="drawer-panel" role="tabpanel">
        <Switch>
          <Match when={props.tab === 'slice'}>
            <SlicePanel {...props} />
          </Match>
          <Match when={props.tab === 'nesting'}>
            <NestingPanel {...props} />
          </Match>
          <Match when={props.tab === 'occurrences'}>
            <OccurrencesPanel {...props} />
          </Match>
          <Match when={props.tab === 'area'}>
            <AreaPanel {...props} />
          </Match>
          <Match when={props.tab === 'search'}>
            <SearchPanel {...props} />
          </Match>
          <Match when={props.tab === 'marks'}>
            <MarksPanel {...props} />
          </Match>
        </Switch>
      </div>
    </section>
  );
}

/** Says how to fill an empty panel. */
export function PanelHint(props: { text: string; keys: string }) {
  return (
    <p class="panel-hint muted">
      {props.text}
      <Show when={props.keys}>
        {' '}
        <kbd>{props.keys}</kbd>
      </Show>
    </p>
  );
}
