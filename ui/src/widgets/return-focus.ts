/** Details next to what they are about: when they close, the focus goes back to where it came from. */
import { onCleanup } from 'solid-js';

/** Without it, closing an element that holds the focus would leave keys without a target. */
export function returnFocus(element: HTMLElement): void {
  let before: HTMLElement | null = null;
  element.addEventListener('focusin', ({ relatedTarget }) => {
    if (relatedTarget instanceof HTMLElement && !element.contains(relatedTarget)) {
      before = relatedTarget;
    }
  });
  onCleanup(() => {
    if (!element.contains(document.activeElement)) return;
    const around = element.parentElement?.closest<HTMLElement>('[tabindex]');
    const target = before?.isConnected ? before : around;
    target?.focus({ preventScroll: true });
  });
}
