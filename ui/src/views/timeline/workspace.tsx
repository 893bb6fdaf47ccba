/** Assembles the timeline: toolbar, tracks, the baseline's tracks, status line and drawer. */
import {
  createEffect,
  createMemo,
  createSignal,
  lazy,
  on,
  onCleanup,
  onMount,
  Show,
} from 'solid-js';

import { registerCommands } from '../../shell/palette-sources';
import { getParam, setParams } from '../../shell/state';
import { summaryOf } from '../../shell/session';
import { Commands } from '../../timeline/commands';
import { registerKeys } from '../../timeline/keys';
import type { Timeline } from '../../timeline/timeline';
import { Late } from '../../widgets/late';
import type { TimelineReport } from '../../wire/generated/TimelineReport';
import { followAddress } from './address-sync';
import type { Counterpart, Other } from './baseline-stage';
import { firstHeaderWidth, takeTimeline } from './begin';
import type { DrawerTab } from './drawer';
import { followGhost, followGhostClicks } from './ghost';
import { followIdle } from './idle';
import { followPath } from './path';
import { followRelated } from './related';
import { Stage } from './stage';
import { StatusLine } from './status-line';
import { Toolbar } from './toolbar';

/** What the end-to-end tests read. */
interface Probe {
  timeline?: { stats: () => ReturnType<Timeline['stats']>; reset: () => void };
  baseline?: {
    stats: () => ReturnType<Timeline['stats']>;
    window: () => { startPs: number; endPs: number };
  };
}

declare global {
  interface Window {
    __stepscope?: Probe;
  }
}

interface WorkspaceProps {
  report: TimelineReport;
  session: string;
  /** The baseline's timeline; undefined without a baseline, or until it is loaded. */
  baseline: { report: TimelineReport; session: string } | undefined;
}

/** With its tables it is a third of the page's code, and nobody needs it for the first picture. */
const ArrangementDialog = lazy(async () => ({
  default: (await import('./later')).ArrangementDialog,
}));
const Drawer = lazy(async () => ({ default: (await import('./later')).Drawer }));
const BaselineStage = lazy(async () => ({ default: (await import('./later')).BaselineStage }));

/** The tracks of the baseline are shown unless they were turned off. */
const isSplit = () => getParam('split') !== 'off';

export function Workspace(props: WorkspaceProps) {
  const timeline = takeTimeline(props.session, props.report);
  const commands = new Commands(timeline);
  const [isDrawerOpen, setDrawerOpen] = createSignal(false);
  const [tab, setTab] = createSignal<DrawerTab>('slice');
  const [isArranging, setArranging] = createSignal(false);
  const [headerWidth, setHeaderWidth] = createSignal(firstHeaderWidth());
  /** The other timeline, as long as it is shown. */
  const [other, setOther] = createSignal<Other | null>(null);
  const [isOtherActive, setOtherActive] = createSignal(false);
  let searchField: HTMLInputElement | undefined;

  const open = (wanted: DrawerTab) => {
    setTab(wanted);
    setDrawerOpen(true);
  };
  // Moving through slices keeps their list open.
  const isWalking = () =>
    isDrawerOpen() &&
    (tab() === 'nesting' ||
      tab() === 'occurrences' ||
      (tab() === 'search' && timeline.search.state().current >= 0));
  createEffect(() => timeline.isDrawn[0]() && void Drawer.preload().catch(() => undefined));
  const hasSelection = createMemo(() => timeline.selection[0]()?.ref);
  createEffect(on(hasSelection, (ref) => ref && !isWalking() && open('slice')));
  createEffect(on(timeline.area[0], (area) => area && open('area')));
  createEffect(on(timeline.chosenMark[0], (mark) => mark !== null && open('marks')));
  followAddress(timeline, commands);
  followPath(timeline, () => props.session);
  const gaps = followIdle(timeline, () => props.session);
  followRelated(timeline);
  followGhost(timeline, () => props.baseline);
  const shownBaseline = createMemo(() => (isSplit() ? props.baseline : undefined));
  /** The timeline whose slice and area the drawer shows. */
  const active = () => {
    const lower = other();
    return lower && isOtherActive()
      ? lower
      : { timeline, commands, session: props.session };
  };
  followGhostClicks(timeline, commands, {
    commands: () => other()?.commands ?? null,
    show: () => {
      setOtherActive(true);
      if (!isSplit()) setParams({ split: null }, false);
      open('slice');
    },
  });
  const [counterpart, setCounterpart] = createSignal<Counterpart | null>(null);

  onMount(() => {
    timeline.showsStats = getParam('fps') === '1';
    onCleanup(
      registerKeys(timeline, commands, {
        focusSearch: () => {
          searchField?.focus();
          searchField?.select();
        },
        toggleDetails: () => setDrawerOpen(!isDrawerOpen()),
        closeDetails: () => {
          const wasOpen = isDrawerOpen();
          setDrawerOpen(false);
          return wasOpen;
        },
      }),
    );
    onCleanup(
      registerCommands(async () =>
        (await import('./later')).rowCommands(
          timeline,
          commands,
          () => setArranging(true),
          () => setDrawerOpen(true),
        ),
      ),
    );
    const probe = {
      stats: () => timeline.stats(),
      reset: () => timeline.resetStats(),
    };
    window.__stepscope = { ...window.__stepscope, timeline: probe };
  });
  onCleanup(() => delete window.__stepscope?.timeline);

  return (
    <>
      <Toolbar
        timeline={timeline}
        commands={commands}
        searchRef={(field) => (searchField = field)}
        onResults={() => open('search')}
        isDrawerOpen={isDrawerOpen()}
        onDrawer={() => setDrawerOpen(!isDrawerOpen())}
        onArrange={() => setArranging(true)}
        split={props.baseline ? isSplit() : undefined}
        onSplit={() => setParams({ split: isSplit() ? 'off' : null }, false)}
      />
      <Stage
        timeline={timeline}
        commands={commands}
        headerWidth={headerWidth()}
        onHeaderWidth={setHeaderWidth}
        label="Timeline of all tracks; the search and the tables below show it as text"
        onPress={() => setOtherActive(false)}
        title={
          <Show when={shownBaseline()}>
            <p class="stage-title">
              <strong>{summaryOf(props.session)?.name}</strong>
            </p>
          </Show>
        }
      />
      <Show when={shownBaseline()} keyed>
        {(baseline) => (
          <Late>
            <BaselineStage
              upper={timeline}
              report={baseline.report}
              session={baseline.session}
              headerWidth={headerWidth()}
              onHeaderWidth={setHeaderWidth}
              upperCommands={commands}
              other={other()}
              isActive={isOtherActive()}
              onCounterpart={setCounterpart}
              onOther={setOther}
              onPress={() => setOtherActive(true)}
              onSelect={() => open('slice')}
              onArea={() => open('area')}
            />
          </Late>
        )}
      </Show>
      <StatusLine
        timeline={timeline}
        session={props.session}
        baseline={props.baseline}
        gaps={gaps()}
      />
      <Show when={isArranging()}>
        <Late>
          <ArrangementDialog timeline={timeline} close={() => setArranging(false)} />
        </Late>
      </Show>
      <Show when={isDrawerOpen()}>
        <Late>
          <Drawer
            timeline={active().timeline}
            commands={active().commands}
            session={active().session}
            counterpart={counterpart()}
            against={active().timeline === timeline ? props.baseline : undefined}
            tab={tab()}
            onTab={setTab}
            onClose={() => setDrawerOpen(false)}
            isLow={shownBaseline() !== undefined}
          />
        </Late>
      </Show>
    </>
  );
}
