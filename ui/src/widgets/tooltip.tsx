/**
 * The only tooltip of the page. It comes after a delay, never lies over its element, and after a click
 * stays away until the pointer has moved away. Focus brings it only if Tab or an arrow moved the focus;
 * typing and the end of its element take it away. Any element with `data-tip="text"` shows that text, any with
 * `data-figure="key"` shows the definition from `figures.ts`, even if elements are added later;
 * `data-tip-side="right"` puts it to the right instead of below.
 */
import { createEffect, createSignal, onCleanup, onMount, Show } from 'solid-js';

import type { Figure } from './figure';
import { placeTip } from './tooltip-place';
import './tooltip.css';

interface Shown {
  element: HTMLElement;
  left: number;
  top: number;
}

const DELAY_MS = 350;

const HIDING = ['wheel', 'focusout', 'scroll', 'input'] as const;

/** Keys that move the focus, and those that do nothing alone. */
const MOVES = /^(Tab|Arrow)/;
const ALONE = /^(Shift|Control|Alt|Meta)/;

/** Definitions by key; they are many, so they are fetched when the first one is shown. */
let figureOf: (key: string) => Figure | undefined = () => undefined;

async function fetchFigures(): Promise<void> {
  ({ figureOf } = await import('./figures'));
}

/** Mounted once by the shell. */
export function TooltipLayer() {
  const [shown, setShown] = createSignal<Shown | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let box: HTMLDivElement | undefined;

  /** Was pressed, and is not explained again before the pointer or the focus leaves it. */
  let pressed: Element | null = null;
  /**
   * Where, until the pointer moves away or a key is pressed: what appears there or gets the focus
   * because of the press does not cover its result with an explanation.
   */
  let pressedAt: PointerEvent | null = null;
  /** Whether the reader moves the focus: a search or a closed dialog focuses its field unasked. */
  let isMoving = false;

  const hide = () => {
    clearTimeout(timer);
    timer = undefined;
    setShown(null);
  };
  const press = (event: PointerEvent) => {
    pressed = elementOf(event);
    pressedAt = event;
    isMoving = false;
    hide();
  };
  const show = (event: PointerEvent | FocusEvent) => {
    if ('clientX' in event ? pressedAt && isNear(event, pressedAt) : !isMoving) return;
    pressedAt = null;
    const element = elementOf(event);
    if (element !== pressed) pressed = null;
    if (element === shown()?.element || element === pressed) return;
    hide();
    if (!element) return;
    const wait = (timer = setTimeout(
      async () => {
        // A server that has stopped leaves texts without their definitions.
        if (element.dataset['figure']) await fetchFigures().catch(() => undefined);
        if (timer === wait) place(element);
      },
      event.type === 'focusin' ? 0 : DELAY_MS,
    ));
  };
  const place = (element: HTMLElement) => {
    // An element that was opened or removed meanwhile needs no tooltip.
    if (!element.isConnected || !hasText(element)) return;
    const anchor = element.getBoundingClientRect();
    setShown({ element, left: anchor.left, top: anchor.bottom + 6 });
    if (!box) return;
    const page = { width: window.innerWidth, height: window.innerHeight };
    const isBeside = element.dataset['tipSide'] === 'right';
    setShown({ element, ...placeTip(anchor, box.getBoundingClientRect(), page, isBeside) });
  };

  onMount(() => {
    const options = { capture: true, passive: true };
    const keys = (event: KeyboardEvent) => {
      pressedAt = null;
      if (ALONE.test(event.key)) return;
      isMoving = MOVES.test(event.key);
      if (!isMoving) hide();
    };
    const gone = new MutationObserver(() => {
      if (!shown()?.element.isConnected) hide();
    });
    createEffect(() => {
      if (shown()) gone.observe(document.body, { childList: true, subtree: true });
      else gone.disconnect();
    });
    document.addEventListener('pointerover', show, options);
    document.addEventListener('focusin', show, options);
    document.addEventListener('pointerdown', press, options);
    for (const name of HIDING) {
      document.addEventListener(name, hide, options);
    }
    document.addEventListener('pointerleave', hide);
    document.addEventListener('keydown', keys, options);
    onCleanup(() => {
      clearTimeout(timer);
      gone.disconnect();
      document.removeEventListener('pointerover', show, options);
      document.removeEventListener('focusin', show, options);
      document.removeEventListener('pointerdown', press, options);
      for (const name of HIDING) {
        document.removeEventListener(name, hide, options);
      }
      document.removeEventListener('pointerleave', hide);
      document.removeEventListener('keydown', keys, options);
    });
  });

  return (
    <Show when={shown()}>
      {(at) => (
        // A landmark, as all that is on a page has to be in one.
        <section aria-label="Explanation">
          <div
            ref={(element) => (box = element)}
            class="tooltip"
            role="tooltip"
            style={{ left: `${at().left}px`, top: `${at().top}px` }}
          >
            <Content element={at().element} />
          </div>
        </section>
      )}
    </Show>
  );
}

/** Whether the pointer has hardly moved. */
function isNear(one: MouseEvent, other: MouseEvent): boolean {
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) < 6;
}

/** The element of an event that has a text. */
function elementOf(event: Event): HTMLElement | null {
  const target = event.target instanceof Element ? event.target : null;
  return target?.closest<HTMLElement>('[data-tip],[data-figure]') ?? null;
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
