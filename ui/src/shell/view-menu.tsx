/**
 * The views of a session: summary views are tabs, the others are in one menu per group.
 * Views about several sessions have a separate menu.
 */
import { For, Show } from 'solid-js';

import { Popover } from '../widgets/popover';
import { Prose } from '../widgets/prose';
import type { Group } from '../wire/generated/Group';
import { Icon } from './icons';
import { comparisons, menu, type MenuEntry } from './session';
import { hrefTo, route } from './state';
import { VIEWS } from './views';
import './view-menu.css';

const GROUPS: readonly { group: Group; title: string; tip: string }[] = [
  { group: 'compute', title: 'Compute', tip: 'What devices computed, and how efficiently' },
  { group: 'memory', title: 'Memory', tip: 'What uses the memory' },
  { group: 'waiting', title: 'Waiting', tip: 'When devices computed nothing, and why' },
];

export function ViewMenu() {
  const isOfSeveral = (entry: MenuEntry) =>
    comparisons.data()?.some(({ name }) => name === entry.name) ?? false;
  const entriesOf = (group: Group) =>
    menu().filter((entry) => entry.group === group && !isOfSeveral(entry));
  const ofSeveral = () => menu().filter(isOfSeveral);
  return (
    <nav class="tabs" aria-label="Views">
      <For each={entriesOf('summary')}>{(entry) => <ViewLink entry={entry} isTab />}</For>
      <For each={GROUPS}>
        {(each) => (
          <Show when={entriesOf(each.group).length > 0}>
            <GroupMenu title={each.title} tip={each.tip} entries={entriesOf(each.group)} />
          </Show>
        )}
      </For>
      <Show when={ofSeveral().length > 0}>
        <GroupMenu
          title="Compare"
          tip="Compare sessions, and check them against budgets"
          entries={ofSeveral()}
        />
      </Show>
    </nav>
  );
}

function GroupMenu(props: { title: string; tip: string; entries: MenuEntry[] }) {
  const current = () => props.entries.find((entry) => entry.name === route.view);
  return (
    <Popover
      class={current() ? 'tab is-current' : 'tab'}
      tip={props.tip}
      label={
        <>
          {current()?.title ?? props.title}
          <Icon name="down" />
        </>
      }
    >
      {(close) => (
        <ul class="view-list">
          <For each={props.entries}>
            {(entry) => (
              <li>
                <ViewLink entry={entry} onChoose={close} />
              </li>
            )}
          </For>
        </ul>
      )}
    </Popover>
  );
}

function ViewLink(props: { entry: MenuEntry; isTab?: boolean; onChoose?: () => void }) {
  return (
    <a
      href={hrefTo({ view: props.entry.name })}
      aria-current={route.view === props.entry.name ? 'page' : undefined}
      data-tip={(props.isTab && props.entry.summary.replaceAll('`', '')) || undefined}
      onPointerEnter={() => void VIEWS.get(props.entry.name)?.preload()}
      onClick={() => props.onChoose?.()}
    >
      <span class="view-title" data-title={props.entry.title}>
        {props.entry.title}
      </span>
      <Show when={!props.isTab}>
        <span class="muted">
          <Prose text={props.entry.summary} />
        </span>
      </Show>
    </a>
  );
}
