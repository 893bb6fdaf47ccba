/** A card that shows one of several tables, with tabs to choose among them. */
import { createMemo, createSignal, createUniqueId, Show, type JSX } from 'solid-js';

import { getParam, setParams } from '../../shell/state';
import { Tabs } from './tabs';

export interface Tab {
  name: string;
  title: string;
  /** How many rows it has. */
  count?: () => number;
  /** Whether it has anything to show; true by default. */
  has?: () => boolean;
  /** Its content; `tools` are the tabs, for the toolbar of its table. */
  body: (tools: () => JSX.Element) => JSX.Element;
  /** Whether it has its own cards. */
  isBare?: boolean;
}

/** Where the choice is kept; undefined means the default tab. */
export interface TabState {
  chosen: () => string | undefined;
  choose: (name: string | null) => void;
}

/** For the tabs of a view: `tab` of the URL. A change of tab resets the order and the search. */
export const urlTab = (): TabState => ({
  chosen: () => getParam('tab'),
  choose: (tab) => setParams({ tab, sort: null, q: null }, false),
});

/** For additional tabs in a view. */
export function localTab(): TabState {
  const [chosen, setChosen] = createSignal<string>();
  return { chosen, choose: (name) => setChosen(name ?? undefined) };
}

export function Tabbed(props: {
  /** What the tabs choose, for screen readers. */
  label: string;
  tabs: readonly Tab[];
  state: TabState;
  /** The default tab; if missing, the first one. */
  usual?: string | undefined;
  class?: string;
  /** Whether the tabs are above the table instead of in its toolbar. */
  hasHeader?: boolean;
}) {
  const panel = createUniqueId();
  // Read once: with `state={localTab()}`, each access would create a new one.
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
            <header>
              <Show when={tabs().length > 1} fallback={<h2>{chosen()?.title}</h2>}>
                {list()}
              </Show>
            </header>
            {chosen()?.body(() => null)}
          </Show>
        </section>
      }
    >
      {body()}
    </Show>
  );
}
