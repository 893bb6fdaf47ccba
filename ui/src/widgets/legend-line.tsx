/** The meaning of colors and marks in one line, and a button for what has no room in it. */
import { createSignal, For, onCleanup, onMount, Show, type JSX } from 'solid-js';

import './bars.css';
import './legend-line.css';
import { Popover } from './popover';

export interface Meaning {
  title: string;
  /** What stands for it, drawn anew at each place. */
  mark: () => JSX.Element;
}

/** A meaning of a color. */
export const colorMeaning = (title: string, color: string, look = ''): Meaning => ({
  title,
  mark: () => <span class={`swatch ${look}`} style={{ background: color }} />,
});

export function LegendLine(props: { entries: readonly Meaning[] }) {
  let line!: HTMLUListElement;
  const [fitting, setFitting] = createSignal(0);
  const missing = () => props.entries.length - fitting();
  // Those without room wrap into a second line, which is cut off.
  const measure = () => {
    const all = [...line.children] as HTMLElement[];
    setFitting(all.filter((each) => each.offsetTop === all[0]?.offsetTop).length);
  };
  onMount(() => {
    const sizes = new ResizeObserver(measure);
    const contents = new MutationObserver(measure);
    sizes.observe(line);
    contents.observe(line, { childList: true, characterData: true, subtree: true });
    onCleanup(() => {
      sizes.disconnect();
      contents.disconnect();
    });
  });
  return (
    <div class="legend-line">
      <ul class="legend legend-shown" aria-label="Legend" ref={line}>
        <For each={props.entries}>
          {(entry, index) => (
            <li classList={{ 'is-cut': index() >= fitting() }}>
              {entry.mark()} {entry.title}
            </li>
          )}
        </For>
      </ul>
      <Show when={missing() > 0}>
        <Popover isRight class="quiet" tip="The whole legend" label={`+${missing()}`}>
          {() => (
            <ul class="legend legend-whole">
              <For each={props.entries}>
                {(entry) => (
                  <li>
                    {entry.mark()} {entry.title}
                  </li>
                )}
              </For>
            </ul>
          )}
        </Popover>
      </Show>
    </div>
  );
}
