/**
 * The navigation at the left: every view of the session, in groups whose names never change. It folds
 * into a strip with one menu per group; narrow windows show it as a drawer over the page.
 */
import { For, onCleanup, Show } from 'solid-js';

import { Modal } from '../widgets/modal';
import { Popover } from '../widgets/popover';
import type { Group } from '../wire/generated/Group';
import { Icon, type IconName } from './icons';
import { isDrawerOpen, isFolded, isNarrow, setDrawerOpen, toggleFold } from './rail-state';
import { comparisons, menu, type MenuEntry } from './session';
import { shared } from './shared';
import { registerShortcut } from './shortcuts';
import { hrefTo, route, SQL_VIEW } from './state';
import { VIEWS } from './views';
import './rail.css';

interface RailGroup {
  title: string;
  tip: string;
  icon: IconName;
  entries: () => MenuEntry[];
}

const isOfSeveral = (entry: MenuEntry) =>
  entry.name === SQL_VIEW || (comparisons.data()?.some(({ name }) => name === entry.name) ?? false);

const entriesOf = (group: Group) => () =>
  menu().filter((entry) => entry.group === group && !isOfSeveral(entry));

const GROUPS: readonly RailGroup[] = [
  {
    title: 'Summary',
    tip: 'Where the time goes, and what to change',
    icon: 'summary',
    entries: entriesOf('summary'),
  },
  {
    title: 'Compute',
    tip: 'What devices computed, and how efficiently',
    icon: 'compute',
    entries: entriesOf('compute'),
  },
  { title: 'Memory', tip: 'What uses the memory', icon: 'memory', entries: entriesOf('memory') },
  {
    title: 'Waiting',
    tip: 'When devices computed nothing, and why',
    icon: 'waiting',
    entries: entriesOf('waiting'),
  },
  {
    title: 'Sessions',
    tip: 'Compare and query sessions, and check them against budgets',
    icon: 'several',
    entries: () => menu().filter(isOfSeveral),
  },
];

const groups = () => GROUPS.filter((group) => group.entries().length > 0);

export function Rail() {
  onCleanup(
    registerShortcut({
      keys: ['Ctrl+b', 'Meta+b'],
      group: 'Everywhere',
      label: 'Fold or unfold the navigation',
      run: () => (isNarrow() ? setDrawerOpen(!isDrawerOpen()) : toggleFold()),
    }),
  );
  return (
    <Show when={!isNarrow()} fallback={<Drawer />}>
      <nav class="rail" classList={{ 'is-folded': isFolded() }} aria-label="Views">
        <div class="rail-head">
          <Brand isShort={isFolded()} />
          <button
            class="quiet icon rail-fold"
            aria-expanded={!isFolded()}
            aria-label={isFolded() ? 'Unfold the navigation' : 'Fold the navigation'}
            data-tip={isFolded() ? 'Unfold the navigation (Ctrl+B)' : 'Fold the navigation (Ctrl+B)'}
            onClick={toggleFold}
          >
            <Icon name={isFolded() ? 'unfold' : 'fold'} />
          </button>
        </div>
        <Show when={!isFolded()} fallback={<FoldedGroups />}>
          <Groups />
        </Show>
      </nav>
    </Show>
  );
}

/** The name of the program; it leads to all sessions where there are several. */
export function Brand(props: { isShort?: boolean }) {
  const content = () => (
    <>
      <Icon name="logo" />
      <Show when={!props.isShort}>
        <span class="brand-name">Stepscope</span>
      </Show>
    </>
  );
  return (
    <Show when={!shared()} fallback={<span class="brand">{content()}</span>}>
      <a class="brand" href="#/" data-tip="All sessions" aria-label="Stepscope: all sessions">
        {content()}
      </a>
    </Show>
  );
}

function Groups() {
  return (
    <div class="rail-groups">
      <For each={groups()}>
        {(group) => (
          <div class="rail-group">
            <p class="rail-title" id={`rail-${group.icon}`} data-tip={group.tip}>
              {group.title}
            </p>
            <ul aria-labelledby={`rail-${group.icon}`}>
              <Links entries={group.entries()} />
            </ul>
          </div>
        )}
      </For>
    </div>
  );
}

/** One menu per group; the icon of the group with the current view is marked. */
function FoldedGroups() {
  const hasCurrent = (group: RailGroup) =>
    group.entries().some((entry) => entry.name === route.view);
  return (
    <div class="rail-groups">
      <For each={groups()}>
        {(group) => (
          <Popover
            isBeside
            class={hasCurrent(group) ? 'quiet icon rail-icon is-current' : 'quiet icon rail-icon'}
            tip={group.title}
            name={group.title}
            label={<Icon name={group.icon} />}
          >
            {(close) => (
              <div class="rail-group">
                <p class="rail-title" id={`rail-${group.icon}`}>
                  {group.title}
                </p>
                <ul aria-labelledby={`rail-${group.icon}`}>
                  <Links entries={group.entries()} onChoose={close} />
                </ul>
              </div>
            )}
          </Popover>
        )}
      </For>
    </div>
  );
}

function Drawer() {
  return (
    <Show when={isDrawerOpen()}>
      <OpenDrawer />
    </Show>
  );
}

/** Over the page, and closed by choosing a view. */
function OpenDrawer() {
  const close = () => setDrawerOpen(false);
  return (
    <Modal class="rail-drawer" label="Views" close={close}>
      <nav class="rail" aria-label="Views">
        <div class="rail-head">
          <Brand />
          <button class="quiet icon rail-fold" aria-label="Close the navigation" onClick={close}>
            <Icon name="close" />
          </button>
        </div>
        <div onClick={close}>
          <Groups />
        </div>
      </nav>
    </Modal>
  );
}

function Links(props: { entries: MenuEntry[]; onChoose?: () => void }) {
  return (
    <For each={props.entries}>
      {(entry) => (
        <li>
          <a
            class="rail-link"
            href={hrefTo({ view: entry.name })}
            aria-current={route.view === entry.name ? 'page' : undefined}
            data-tip={entry.summary.replaceAll('`', '') || undefined}
            data-tip-side="right"
            onPointerEnter={() => void VIEWS.get(entry.name)?.preload()}
            onClick={() => props.onChoose?.()}
          >
            {entry.title}
          </a>
        </li>
      )}
    </For>
  );
}
