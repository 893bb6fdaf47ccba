/**
 * A panel above the page. It keeps the focus while it is open and then returns it. Escape and a click
 * outside close it, and keys do not reach the page below.
 */
import { onCleanup, onMount, type JSX } from 'solid-js';

import '../shell/overlay.css';

/** Keys that open and close panels also work inside them. */
const isOfPanels = (event: KeyboardEvent) =>
  event.key === '?' || (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey));

export function Modal(props: {
  class: string;
  label: string;
  close: () => void;
  onKeyDown?: (event: KeyboardEvent) => void;
  children: JSX.Element;
}) {
  let dialog!: HTMLDialogElement;
  onMount(() => dialog.showModal());
  onCleanup(() => dialog.close());
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
        if (!isOfPanels(event)) event.stopPropagation();
      }}
    >
      {props.children}
    </dialog>
  );
}
