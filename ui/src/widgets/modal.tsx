/**
 * A panel above the page. Everything behind it is inert: it keeps the focus while it is open, Tab stays
 * in it, keys do not reach the page, and the focus then returns to where it was. Escape and a click
 * outside close only the panel in front.
 */
import { onCleanup, onMount, type JSX } from 'solid-js';

import { isPanelKey } from '../shell/shortcuts';
import '../shell/overlay.css';

/** Open panels, the one in front last. */
const panels: HTMLDialogElement[] = [];

/** Whether a panel is above the page. */
export const isModalOpen = (): boolean => panels.length > 0;

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]';

export function Modal(props: {
  class: string;
  label: string;
  close: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: JSX.Element;
}) {
  let dialog!: HTMLDialogElement;

  const isInFront = () => panels[panels.length - 1] === dialog;
  /** Moves the focus within the panel, around its ends. */
  const moveFocus = (isBack: boolean) => {
    const stops = [...dialog.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(
      (stop) => stop.tabIndex >= 0 && stop.checkVisibility(),
    );
    const at = stops.indexOf(document.activeElement as HTMLElement);
    const next = at < 0 ? (isBack ? stops.length - 1 : 0) : at + (isBack ? -1 : 1);
    stops[(next + stops.length) % stops.length]?.focus();
  };
  /** Before any handler of the page, wherever the focus is. */
  const onKeyFirst = (event: KeyboardEvent) => {
    if (!isInFront()) return;
    const isInside = event.target instanceof Node && dialog.contains(event.target);
    if (event.key === 'Tab') moveFocus(event.shiftKey);
    else if (event.key === 'Escape' && !isInside) props.close();
    else if (isInside || isPanelKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  onMount(() => {
    dialog.showModal();
    panels.push(dialog);
    window.addEventListener('keydown', onKeyFirst, true);
  });
  onCleanup(() => {
    window.removeEventListener('keydown', onKeyFirst, true);
    panels.splice(panels.indexOf(dialog), 1);
    dialog.close();
  });

  const isBeside = (event: PointerEvent) => {
    const box = dialog.getBoundingClientRect();
    const isInside =
      box.left <= event.clientX &&
      event.clientX <= box.right &&
      box.top <= event.clientY &&
      event.clientY <= box.bottom;
    return event.target === dialog && !isInside;
  };
  return (
    <dialog
      ref={dialog}
      class={`overlay-panel ${props.class}`}
      aria-label={props.label}
      onCancel={(event) => {
        event.preventDefault();
        props.close();
      }}
      onPointerDown={(event) => isBeside(event) && props.close()}
      onKeyDown={(event) => {
        props.onKeyDown?.(event);
        if (!isPanelKey(event)) event.stopPropagation();
      }}
    >
      {props.children}
    </dialog>
  );
}
