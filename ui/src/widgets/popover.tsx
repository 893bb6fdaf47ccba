/** A button that opens a panel below it; Escape, a click elsewhere or a change of view closes it. */
import { createEffect, createSignal, on, onCleanup, Show, type JSX } from 'solid-js';

import { route } from '../shell/state';
import './popover.css';

export interface PopoverProps {
  label: JSX.Element;
  tip?: string | undefined;
  class?: string;
  /** The accessible name, if the label is an icon. */
  name?: string;
  /** Whether the panel is aligned with the right edge of the button. */
  isRight?: boolean;
  /** Whether the panel opens to the right of the button instead of below it. */
  isBeside?: boolean;
  /** Whether the panel opens above the button. */
  isAbove?: boolean;
  children: (close: () => void) => JSX.Element;
}

export function Popover(props: PopoverProps) {
  let root!: HTMLDivElement;
  const [isOpen, setOpen] = createSignal(false);
  const close = () => {
    if (!isOpen()) return;
    setOpen(false);
    root.querySelector('button')?.focus();
  };

  createEffect(on([() => route.view, () => route.session], () => setOpen(false), { defer: true }));
  createEffect(() => {
    if (!isOpen()) return;
    const outside = (event: Event) => {
      if (event.target instanceof Node && !root.contains(event.target)) setOpen(false);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      close();
    };
    document.addEventListener('pointerdown', outside, true);
    // A panel above the page takes the focus, and Escape is then its key.
    document.addEventListener('focusin', outside, true);
    document.addEventListener('keydown', escape, true);
    onCleanup(() => {
      document.removeEventListener('pointerdown', outside, true);
      document.removeEventListener('focusin', outside, true);
      document.removeEventListener('keydown', escape, true);
    });
  });

  /** Up and down open the panel and move through its links, buttons and fields. */
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || /^(SELECT|TEXTAREA)$/.test((event.target as Element).tagName)) return;
    if (!isOpen()) setOpen(true);
    const panel = root.querySelector('.popover-panel');
    const stops = [...(panel?.querySelectorAll<HTMLElement>('a[href], button, input') ?? [])];
    const at = stops.indexOf(event.target as HTMLElement);
    stops[Math.max(0, Math.min(stops.length - 1, at + step))]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="popover" ref={root} onKeyDown={onKey}>
      <button
        class={props.class ?? ''}
        aria-label={props.name}
        aria-expanded={isOpen()}
        aria-haspopup="dialog"
        data-tip={isOpen() ? undefined : props.tip}
        onClick={() => setOpen(!isOpen())}
      >
        {props.label}
      </button>
      <Show when={isOpen()}>
        <div
          class="popover-panel"
          classList={{
            'is-right': props.isRight ?? false,
            'is-beside': props.isBeside ?? false,
            'is-above': props.isAbove ?? false,
          }}
          role="dialog"
          aria-label={props.name ?? props.tip ?? (typeof props.label === 'string' ? props.label : undefined)}
        >
          {props.children(close)}
        </div>
      </Show>
    </div>
  );
}
