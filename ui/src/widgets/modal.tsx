/**
 * A panel above the page. It holds the focus while it is open and gives it back; Escape and a click
 * beside it close it, and keys do not reach the page below.
 */
import { onCleanup, onMount, type JSX } from 'solid-js';

import '../shell/overlay.css';

/** Keys that open and close panels work above them too. */
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
