/**
 * The only tooltip of the page. Any element with `data-tip="text"` shows that text, any with
 * `data-figure="key"` shows the definition from `figures.ts`, even if elements are added later.
 */
import { createSignal, onCleanup, onMount, Show } from 'solid-js';

import { figureOf } from './figures';
import './tooltip.css';

interface Shown {
  element: HTMLElement;
  left: number;
  top: number;
}

const DELAY_MS = 350;

/** Mounted once by the shell. */
export function TooltipLayer() {
  const [shown, setShown] = createSignal<Shown | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let box: HTMLDivElement | undefined;

  const hide = () => {
    clearTimeout(timer);
    setShown(null);
  };
  const show = (event: Event) => {
    const target = event.target instanceof Element ? event.target : null;
    const element = target?.closest<HTMLElement>('[data-tip],[data-figure]') ?? null;
    if (element === shown()?.element) return;
    hide();
    if (!element || !hasText(element)) return;
    timer = setTimeout(() => place(element), event.type === 'focusin' ? 0 : DELAY_MS);
  };
  const place = (element: HTMLElement) => {
    // An element that was opened or removed meanwhile needs no tooltip.
    if (!element.isConnected || !hasText(element)) return;
    const anchor = element.getBoundingClientRect();
    setShown({ element, left: anchor.left, top: anchor.bottom + 6 });
    if (!box) return;
    const size = box.getBoundingClientRect();
    const left = Math.max(8, Math.min(anchor.left, window.innerWidth - size.width - 8));
    const below = anchor.bottom + 6;
    const top = below + size.height > window.innerHeight - 8 ? anchor.top - size.height - 6 : below;
    setShown({ element, left, top: Math.max(8, top) });
  };

  onMount(() => {
    const options = { capture: true, passive: true };
    const keys = (event: KeyboardEvent) => event.key === 'Escape' && hide();
    document.addEventListener('pointerover', show, options);
    document.addEventListener('focusin', show, options);
    for (const name of ['pointerdown', 'wheel', 'focusout', 'scroll'] as const) {
      document.addEventListener(name, hide, options);
    }
    document.addEventListener('pointerleave', hide);
    document.addEventListener('keydown', keys, options);
    onCleanup(() => {
      clearTimeout(timer);
      document.removeEventListener('pointerover', show, options);
      document.removeEventListener('focusin', show, options);
      for (const name of ['pointerdown', 'wheel', 'focusout', 'scroll'] as const) {
        document.removeEventListener(name, hide, options);
      }
      document.removeEventListener('pointerleave', hide);
      document.removeEventListener('keydown', keys, options);
    });
  });

  return (
    <Show when={shown()}>
      {(at) => (
        <div
          ref={(element) => (box = element)}
          class="tooltip"
          role="tooltip"
          style={{ left: `${at().left}px`, top: `${at().top}px` }}
        >
          <Content element={at().element} />
        </div>
      )}
    </Show>
  );
}

function hasText(element: HTMLElement): boolean {
  return Boolean(element.dataset['tip'] || figureOf(element.dataset['figure'] ?? ''));
}

function Content(props: { element: HTMLElement }) {
  const figure = () => figureOf(props.element.dataset['figure'] ?? '');
  return (
    <>
      <Show when={props.element.dataset['tip']}>
        {(tip) => <p class="tooltip-text">{tip()}</p>}
      </Show>
      <Show when={figure()}>
        {(entry) => (
          <>
            <p class="tooltip-title">{entry().title}</p>
            <p>{entry().definition}</p>
            <Show when={entry().formula}>
              {(formula) => <p class="tooltip-formula">{formula()}</p>}
            </Show>
            <Show when={entry().unit}>{(unit) => <p class="muted">Unit: {unit()}</p>}</Show>
          </>
        )}
      </Show>
    </>
  );
}
