/** A list of tabs, one of which is chosen; arrow keys, Home and End move. */
import { createEffect, For, onCleanup, Show, type JSX } from 'solid-js';

import { formatCount } from '../../format/numbers';
import { tabByKey } from './keys';

export interface TabEntry {
  name: string;
  title: JSX.Element;
  count?: number | undefined;
}

/** Tabs inside the content that they choose are recreated with it; the focus moves to the new ones. */
let focused: string | null = null;

export function Tabs(props: {
  /** What the tabs choose, for screen readers. */
  label: string;
  entries: readonly TabEntry[];
  chosen: string | undefined;
  onChoose: (name: string) => void;
  class?: string;
  /** Id of the panel that shows the chosen tab. */
  panel?: string | undefined;
}) {
  let list!: HTMLSpanElement;
  const onKey = (event: KeyboardEvent) => {
    const at = props.entries.findIndex(({ name }) => name === props.chosen);
    const isModified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
    const from = Math.max(0, at);
    const next = props.entries[tabByKey(props.entries.length, from, event.key, isModified) ?? -1];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    focused = next.name;
    props.onChoose(next.name);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  createEffect(() => {
    const { chosen } = props;
    if (focused === null || focused !== chosen) return;
    // Wait until the tabs are in the page.
    timer = setTimeout(() => {
      list.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
      focused = null;
    });
  });
  return (
    <span
      ref={list}
      class={props.class ?? 'segmented'}
      role="tablist"
      aria-label={props.label}
      onKeyDown={onKey}
    >
      <For each={props.entries}>
        {(entry) => (
          <button
            role="tab"
            aria-selected={entry.name === props.chosen}
            aria-controls={props.panel}
            tabindex={entry.name === props.chosen ? 0 : -1}
            onClick={() => props.onChoose(entry.name)}
          >
            {entry.title}
            <Show when={entry.count !== undefined}>
              {' '}
              <span class="muted number">{formatCount(entry.count)}</span>
            </Show>
          </button>
        )}
      </For>
    </span>
  );
}
