/** A card that shows one of several tables, with the tabs that choose among them. */
import { createMemo, createSignal, createUniqueId, Show, type JSX } from 'solid-js';

import { getParam, setParams } from '../../shell/state';
import { Tabs } from './tabs';

export interface Tab {
  name: string;
  title: string;
  /** How many rows it has. */
  count?: () => number;
  /** Whether it has anything to show; it has unless said. */
  has?: () => boolean;
  /** What it shows; `tools` are the tabs, for the bar of its table. */
  body: (tools: () => JSX.Element) => JSX.Element;
  /** It brings its own cards. */
  isBare?: boolean;
}

/** Where the choice is kept; undefined is the usual tab. */
export interface TabState {
  chosen: () => string | undefined;
  choose: (name: string | null) => void;
}

/** For the tabs of a view: `tab` of the URL. Each table has an order and a search of its own. */
export const urlTab = (): TabState => ({
  chosen: () => getParam('tab'),
  choose: (tab) => setParams({ tab, sort: null, q: null }, false),
});

/** For tabs beside others. */
export function localTab(): TabState {
  const [chosen, setChosen] = createSignal<string>();
  return { chosen, choose: (name) => setChosen(name ?? undefined) };
}

export function Tabbed(props: {
  /** What the tabs choose. */
  label: string;
  tabs: readonly Tab[];
  state: TabState;
  /** The tab that is shown unless another is chosen; the first one unless said. */
  usual?: string | undefined;
  class?: string;
  /** The tabs stand above, not in the bar of the table. */
  hasHeader?: boolean;
}) {
  const panel = createUniqueId();
  // Once: where it is written `state={localTab()}`, each look would make another.
  const { state } = props;
  const tabs = createMemo(() => props.tabs.filter((tab) => tab.has?.() ?? true));
  const usual = () => tabs().find(({ name }) => name === props.usual) ?? tabs()[0];
  const chosen = createMemo(() => tabs().find(({ name }) => name === state.chosen()) ?? usual());
  const list = () => (
    <Show when={tabs().length > 1}>
      <Tabs
        label={props.label}
        entries={tabs().map((tab) => ({ ...tab, count: tab.count?.() }))}
        chosen={chosen()?.name}
        onChoose={(name) => state.choose(name === usual()?.name ? null : name)}
        panel={chosen()?.isBare ? undefined : panel}
      />
    </Show>
  );
  const body = () => chosen()?.body(list);
  return (
    <Show
      when={chosen()?.isBare}
      fallback={
        <section
          id={panel}
          class={`card ${props.class ?? 'is-main'}`}
          role="tabpanel"
          aria-label={chosen()?.title}
        >
          <Show when={props.hasHeader} fallback={body()}>
            <header>{list()}</header>
            {chosen()?.body(() => null)}
          </Show>
        </section>
      }
    >
      {body()}
    </Show>
  );
}
