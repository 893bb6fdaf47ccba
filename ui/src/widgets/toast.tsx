/**
 * Short messages at the bottom of the page, with at most one action: what just happened and how to take
 * it back, or what arrived and where it is.
 *
 *     showToast({ text: 'Track hidden', action: { title: 'Undo', run: () => show(track) } });
 *
 * A toast leaves by itself, but not while the pointer or the focus is on it. Screen readers read it.
 * `ToastLayer` is mounted once, by the shell.
 */
import { createSignal, For, Show } from 'solid-js';

import { Icon } from '../shell/icons';
import './toast.css';

export interface Toast {
  /** One short sentence without a period. */
  text: string;
  action?: { title: string; run: () => void };
  /** A toast with the same key replaces this one; by default, its text. */
  key?: string;
}

/** Long enough to read it and to reach its action. */
const SHOWN_MS = 8_000;
/** Older ones leave when there are more. */
const MOST_SHOWN = 3;

const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
const timers = new Map<Toast, ReturnType<typeof setTimeout>>();

const keyOf = (toast: Toast) => toast.key ?? toast.text;

/** Shows a message. */
export function showToast(toast: Toast): void {
  const others = toasts().filter((other) => keyOf(other) !== keyOf(toast));
  setToasts([...others, toast].slice(-MOST_SHOWN));
  leaveLater(toast);
}

function leave(toast: Toast): void {
  stay(toast);
  timers.delete(toast);
  setToasts((list) => list.filter((other) => other !== toast));
}

function leaveLater(toast: Toast): void {
  stay(toast);
  timers.set(
    toast,
    setTimeout(() => leave(toast), SHOWN_MS),
  );
}

/** Leaves later, unless the reader is still there in the other way. */
function leaveUnless(toast: Toast, element: Element, state: ':focus-within' | ':hover'): void {
  if (!element.matches(state)) leaveLater(toast);
}

function stay(toast: Toast): void {
  clearTimeout(timers.get(toast));
}

export function ToastLayer() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      <For each={toasts()}>
        {(toast) => (
          <div
            class="toast"
            onPointerEnter={() => stay(toast)}
            onPointerLeave={(event) => leaveUnless(toast, event.currentTarget, ':focus-within')}
            onFocusIn={() => stay(toast)}
            onFocusOut={(event) => leaveUnless(toast, event.currentTarget, ':hover')}
          >
            <span>{toast.text}</span>
            <Show when={toast.action}>
              {(action) => (
                <button
                  class="toast-action"
                  onClick={() => {
                    leave(toast);
                    action().run();
                  }}
                >
                  {action().title}
                </button>
              )}
            </Show>
            <button class="quiet icon" aria-label="Dismiss" onClick={() => leave(toast)}>
              <Icon name="close" />
            </button>
          </div>
        )}
      </For>
    </div>
  );
}
