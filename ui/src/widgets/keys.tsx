/** Keys as they are printed on a keyboard. */
import { For } from 'solid-js';

const SIGNS: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  ' ': 'Space',
};

/** One key or chord, in the notation of `Shortcut.keys`. */
export function Keys(props: { text: string }) {
  const parts = () =>
    props.text.endsWith('++')
      ? [...props.text.slice(0, -2).split('+'), '+']
      : props.text === '+'
        ? ['+']
        : props.text.split('+');
  return (
    <span class="keys">
      <For each={parts()}>
        {(part) => <kbd>{SIGNS[part] ?? (/^[a-z]$/.test(part) ? part.toUpperCase() : part)}</kbd>}
      </For>
    </span>
  );
}
