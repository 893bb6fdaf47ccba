/** All colors of the timeline as a list with a filter. */
import { createMemo, createSignal, For, onMount, Show } from 'solid-js';

import { plural } from '../../format/numbers';
import { parsePattern } from '../../format/pattern';
import type { Timeline } from '../../timeline/timeline';
import { SearchField } from '../../widgets/search-field';
import { LegendButton, type LegendEntry } from './legend-entry';

/** More are not listed at once. */
const MOST_LISTED = 300;

export function LegendList(props: { timeline: Timeline; entries: readonly LegendEntry[] }) {
  let panel!: HTMLDivElement;
  const [text, setText] = createSignal('');
  const found = createMemo(() => {
    const pattern = parsePattern(text(), 'ignored');
    return props.entries.filter(({ title }) => pattern.test(title));
  });
  onMount(() => panel.querySelector('input')?.focus());
  return (
    <div class="legend-list" ref={panel}>
      <SearchField
        label="Filter the colors"
        placeholder={`Filter ${plural(props.entries.length, 'color')}`}
        value={text()}
        onInput={setText}
      />
      <ul aria-label="All colors">
        <For
          each={found().slice(0, MOST_LISTED)}
          fallback={<li class="muted">No color of this name</li>}
        >
          {(entry) => (
            <li>
              <LegendButton timeline={props.timeline} entry={entry} />
            </li>
          )}
        </For>
      </ul>
      <Show when={found().length > MOST_LISTED}>
        <p class="muted">{found().length - MOST_LISTED} more: type a part of the name</p>
      </Show>
      <p class="muted">Of the slices shown so far. Click to isolate, Shift+click to add</p>
    </div>
  );
}
