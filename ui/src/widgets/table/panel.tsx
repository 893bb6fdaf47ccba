/** A panel in the top layer, so that no card clips it: below its button, or at a point. */
import { createSignal, createUniqueId, onMount, Show, type JSX } from 'solid-js';

/** A button that opens a panel below it; Escape and a click elsewhere close it. */
export function PanelButton(props: {
  label: JSX.Element;
  tip: string;
  children: JSX.Element;
}) {
  let button!: HTMLButtonElement;
  const id = createUniqueId();
  const [isOpen, setOpen] = createSignal(false);
  return (
    <>
      <button
        ref={button}
        class="quiet"
        popovertarget={id}
        aria-expanded={isOpen()}
        aria-haspopup="dialog"
        data-tip={isOpen() ? undefined : props.tip}
      >
        {props.label}
      </button>
      <div
        id={id}
        popover="auto"
        class="table-panel"
        role="dialog"
        aria-label={props.tip}
        onToggle={(event) => {
          setOpen(event.newState === 'open');
          if (event.newState === 'open') placeBelow(event.currentTarget, button);
        }}
      >
        <Show when={isOpen()}>{props.children}</Show>
      </div>
    </>
  );
}

/** A panel that is open while it is mounted. */
export function Panel(props: {
  label: string;
  /** Below which it is placed. */
  anchor: Element;
  onClose: () => void;
  children: JSX.Element;
}) {
  let panel!: HTMLDivElement;
  onMount(() => {
    panel.showPopover();
    placeBelow(panel, props.anchor);
    panel.focus({ preventScroll: true });
  });
  return (
    <div
      ref={panel}
      popover="auto"
      class="table-panel"
      role="dialog"
      tabindex="-1"
      aria-label={props.label}
      onToggle={(event) => event.newState === 'closed' && props.onClose()}
    >
      {props.children}
    </div>
  );
}

const EDGE = 8;

/** Below the anchor, inside the window. */
function placeBelow(panel: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect();
  const size = panel.getBoundingClientRect();
  const left = Math.max(EDGE, Math.min(at.left, window.innerWidth - size.width - EDGE));
  const below = at.bottom + 4;
  const isBelow = below + size.height <= window.innerHeight - EDGE;
  const top = isBelow ? below : Math.max(EDGE, at.top - size.height - 4);
  panel.style.left = `${left}px`;
  panel.style.top = `${top}px`;
}
