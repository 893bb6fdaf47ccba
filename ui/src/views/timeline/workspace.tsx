/** Puts the timeline together: toolbar, headers, canvas, status line and the drawer below. */
import { createEffect, createMemo, createSignal, on, onCleanup, onMount, Show } from 'solid-js';

import { isDark } from '../../shell/theme';
import { getParam } from '../../shell/state';
import { TimelineApi } from '../../timeline/api';
import { Commands } from '../../timeline/commands';
import { attachInteraction } from '../../timeline/interaction';
import { registerKeys } from '../../timeline/keys';
import { Timeline } from '../../timeline/timeline';
import { MINIMAP_HEIGHT } from '../../timeline/scene';
import type { TimelineReport } from '../../wire/generated/TimelineReport';
import { followAddress, initialChoices } from './address-sync';
import { Drawer, type DrawerTab } from './drawer';
import { Headers } from './headers';
import { HoverCard } from './hover-card';
import { StatusLine } from './status-line';
import { Toolbar } from './toolbar';

/** What the end-to-end tests read. */
interface Probe {
  timeline?: { stats: () => ReturnType<Timeline['stats']>; reset: () => void };
}

declare global {
  interface Window {
    __stepscope?: Probe;
  }
}

export function Workspace(props: { report: TimelineReport; session: number }) {
  const api = new TimelineApi(props.session);
  const timeline = new Timeline(props.report, api, initialChoices());
  const commands = new Commands(timeline);
  const [isDrawerOpen, setDrawerOpen] = createSignal(false);
  const [tab, setTab] = createSignal<DrawerTab>('slice');
  const [headerWidth, setHeaderWidth] = createSignal(window.innerWidth < 1400 ? 210 : 250);
  let canvas!: HTMLCanvasElement;
  let stage!: HTMLDivElement;
  let searchField: HTMLInputElement | undefined;

  const open = (wanted: DrawerTab) => {
    setTab(wanted);
    setDrawerOpen(true);
  };
  // Walking through matches keeps their list in sight.
  const isWalking = () =>
    isDrawerOpen() && tab() === 'search' && timeline.search.state().current >= 0;
  const hasSelection = createMemo(() => timeline.selection[0]()?.ref);
  createEffect(on(hasSelection, (ref) => ref && !isWalking() && open('slice')));
  createEffect(on(timeline.area[0], (area) => area && open('area')));
  createEffect(on(isDark, () => timeline.readTheme(), { defer: true }));
  followAddress(timeline, commands);

  onMount(() => {
    timeline.showsStats = getParam('fps') === '1';
    timeline.attach(canvas);
    const observer = new ResizeObserver(() => {
      timeline.resize(stage.clientWidth, stage.clientHeight);
    });
    observer.observe(stage);
    onCleanup(() => observer.disconnect());
    onCleanup(attachInteraction(canvas, timeline, commands));
    onCleanup(
      registerKeys(timeline, commands, {
        focusSearch: () => {
          searchField?.focus();
          searchField?.select();
        },
        toggleDetails: () => setDrawerOpen(!isDrawerOpen()),
      }),
    );
    const probe = {
      stats: () => timeline.stats(),
      reset: () => timeline.resetStats(),
    };
    window.__stepscope = { ...window.__stepscope, timeline: probe };
  });
  onCleanup(() => {
    timeline.dispose();
    delete window.__stepscope?.timeline;
  });

  return (
    <>
      <Toolbar
        timeline={timeline}
        commands={commands}
        searchRef={(field) => (searchField = field)}
        onResults={() => open('search')}
        isDrawerOpen={isDrawerOpen()}
        onDrawer={() => setDrawerOpen(!isDrawerOpen())}
      />
      <div
        class="timeline-body"
        style={{ '--header-width': `${headerWidth()}px`, '--minimap': `${MINIMAP_HEIGHT}px` }}
      >
        <Headers timeline={timeline} />
        <Splitter width={headerWidth()} onWidth={setHeaderWidth} />
        <div class="timeline-stage" ref={stage}>
          <canvas
            ref={canvas}
            class="timeline-canvas"
            tabindex="-1"
            role="img"
            aria-label="Timeline of all tracks; use the search and the tables below for text"
          />
          <ScrollBar timeline={timeline} />
          <HoverCard timeline={timeline} />
          <Show when={timeline.error[0]()}>
            {(error) => <p class="timeline-error">{error()}</p>}
          </Show>
        </div>
      </div>
      <StatusLine timeline={timeline} />
      <Show when={isDrawerOpen()}>
        <Drawer
          timeline={timeline}
          commands={commands}
          session={props.session}
          tab={tab()}
          onTab={setTab}
          onClose={() => setDrawerOpen(false)}
        />
      </Show>
    </>
  );
}

/** The line between headers and canvas, to drag. */
function Splitter(props: { width: number; onWidth: (width: number) => void }) {
  const drag = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement;
    const began = props.width - event.clientX;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (move) =>
      props.onWidth(Math.min(520, Math.max(140, began + move.clientX)));
    handle.onpointerup = () => (handle.onpointermove = null);
  };
  return <div class="timeline-splitter" role="separator" onPointerDown={drag} />;
}

/** How far the rows are scrolled; can be dragged. */
function ScrollBar(props: { timeline: Timeline }) {
  const place = () => {
    const layout = props.timeline.layout[0]();
    const { geometry } = props.timeline.scene;
    const top = geometry.headHeight + geometry.pinnedHeight;
    const room = geometry.height - top;
    const whole = layout.height + 24;
    const length = Math.max(28, (room / whole) * room);
    const share = props.timeline.scrollY[0]() / Math.max(1, whole - room);
    return { isNeeded: whole > room, top: top + share * (room - length), length, room, whole };
  };
  const drag = (event: PointerEvent) => {
    const thumb = event.currentTarget as HTMLElement;
    const beganY = event.clientY;
    const beganScroll = props.timeline.scrollY[0]();
    const { room, whole, length } = place();
    thumb.setPointerCapture(event.pointerId);
    thumb.onpointermove = (move) => {
      const share = (move.clientY - beganY) / Math.max(1, room - length);
      props.timeline.scrollTo(beganScroll + share * (whole - room));
    };
    thumb.onpointerup = () => (thumb.onpointermove = null);
  };
  return (
    <Show when={place().isNeeded}>
      <div
        class="timeline-scrollbar"
        style={{ top: `${place().top}px`, height: `${place().length}px` }}
        onPointerDown={drag}
      />
    </Show>
  );
}
