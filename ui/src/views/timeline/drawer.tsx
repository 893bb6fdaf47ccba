/** Below the timeline: the selected slice, the table of the area, the matches of the search. */
import { createSignal, Match, Show, Switch } from 'solid-js';

import { Icon } from '../../shell/icons';
import type { Commands } from '../../timeline/commands';
import type { Timeline } from '../../timeline/timeline';
import { Tabs } from '../../widgets/tabs/tabs';
import type { Counterpart } from './baseline-stage';
import { AreaPanel } from './area-panel';
import { SearchPanel } from './search-panel';
import { SlicePanel } from './slice-panel';
import './drawer.css';

export type DrawerTab = 'slice' | 'area' | 'search';

export interface PanelProps {
  timeline: Timeline;
  commands: Commands;
  session: string;
  /** What the other session has for the selected slice. */
  counterpart?: Counterpart | null | undefined;
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

export function Drawer(props: DrawerProps) {
  const [height, setHeight] = createSignal(
    Math.round(window.innerHeight * (props.isLow ? LOW_SHARE : FIRST_SHARE)),
  );
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    const began = height() + event.clientY;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) => {
      const most = window.innerHeight * 0.75;
      setHeight(Math.min(most, Math.max(120, began - move.clientY)));
    };
    handle.onpointerup = () => (handle.onpointermove = null);
  };
  const matches = () => props.timeline.search.state().matchCount;
  const tabs = () => [
    { name: 'slice', title: 'Slice' },
    { name: 'area', title: 'Area' },
    { name: 'search', title: 'Matches', count: matches() > 0 ? matches() : undefined },
  ];
  return (
    <section class="drawer" style={{ height: `${height()}px` }} aria-label="Details">
      <div class="drawer-handle" role="separator" onPointerDown={drag} />
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
        <button
          class="quiet icon-button"
          aria-label="Close the details (q)"
          data-tip="Close the details (q)"
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
          <Match when={props.tab === 'area'}>
            <AreaPanel {...props} />
          </Match>
          <Match when={props.tab === 'search'}>
            <SearchPanel {...props} />
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
