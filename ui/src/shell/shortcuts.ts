/**
 * The registry of commands and their keys. Code that handles a key registers it here. The overlay opened
 * by `?` lists what is registered at that moment, and the command palette runs it, so neither is ever
 * out of date.
 *
 * `registerShortcut({keys: ['w'], group: 'Timeline', label: 'Zoom in at the cursor', run})` returns
 * a function that unregisters; call it in `onCleanup`. Without keys (`keys: []`) it is a command of the
 * palette only. Without `run` the entry only documents a key or gesture that its owner handles itself
 * (`keys: ['Ctrl+wheel']`).
 */
import { createSignal, onCleanup } from 'solid-js';

import { chosenKeys } from './key-choices';

/** One shortcut. */
export interface Shortcut {
  /** Alternatives, such as `['?']`, `['Ctrl+k', 'Meta+k']`, `['Shift+m']`, `['ArrowLeft', ',']`. */
  keys: string[];
  /** Heading in the overlay, such as `Timeline`. */
  group: string;
  /** What it does, sentence case. */
  label: string;
  /** Handler; returning `false` lets other handlers of the same key run. */
  run?: (event: KeyboardEvent) => void | boolean;
  /** Whether it also works while a text field has the focus. */
  inFields?: boolean;
  /** Whether it also works in panels above the page, such as the palette, which it opens and closes. */
  inPanels?: boolean;
  /** Whether it works as long as the key is down; the palette then does not offer it. */
  isHeld?: boolean;
}

const [registered, setRegistered] = createSignal<Shortcut[]>([]);

/** Everything registered now; reactive. */
export const shortcuts = registered;

/** Registers a shortcut; the newest handler of a key runs first. Returns a function that undoes it. */
export function registerShortcut(shortcut: Shortcut): () => void {
  setRegistered((list) => [...list, shortcut]);
  return () => setRegistered((list) => list.filter((other) => other !== shortcut));
}

/** Makes Escape close a component while it is shown. */
export function closeOnEscape(close: () => void): void {
  onCleanup(
    registerShortcut({
      keys: ['Escape'],
      group: 'Everywhere',
      label: 'Close or clear',
      run: () => close(),
    }),
  );
}

/** The key of an event in the notation of `Shortcut.keys`. */
export function keyOf(event: KeyboardEvent): string {
  const isLetter = /^[a-z]$/i.test(event.key);
  const key = isLetter ? event.key.toLowerCase() : event.key;
  const parts: string[] = [];
  if (event.ctrlKey) parts.push('Ctrl');
  if (event.metaKey) parts.push('Meta');
  if (event.altKey) parts.push('Alt');
  // For characters such as ?, Shift is part of the character.
  if (event.shiftKey && (isLetter || key.length > 1)) parts.push('Shift');
  parts.push(key);
  return parts.join('+');
}

/** Identifies a command across visits, for the keys that the user chose. */
export const idOf = (shortcut: Pick<Shortcut, 'group' | 'label'>): string =>
  `${shortcut.group}/${shortcut.label}`;

/** The keys that run it now: those the user chose, or its own. Reactive. */
export const keysOf = (shortcut: Shortcut): readonly string[] =>
  chosenKeys(idOf(shortcut)) ?? shortcut.keys;

/** The commands besides this one that run on one of its keys, if the user chose the keys of either. */
export function conflictsOf(shortcut: Shortcut): Shortcut[] {
  const isChosen = (one: Shortcut) => chosenKeys(idOf(one)) !== undefined;
  return registered().filter(
    (other) =>
      other.run !== undefined &&
      idOf(other) !== idOf(shortcut) &&
      (isChosen(other) || isChosen(shortcut)) &&
      keysOf(other).some((key) => keysOf(shortcut).includes(key)),
  );
}

/** Whether the key of an event opens or closes a panel. */
export const isPanelKey = (event: KeyboardEvent): boolean =>
  registered().some(
    (shortcut) => shortcut.inPanels === true && keysOf(shortcut).includes(keyOf(event)),
  );

/** Runs the handlers of the event's key. Installed once, on the window. */
export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  const inField = isField(event.target);
  for (const shortcut of [...registered()].reverse()) {
    if (!shortcut.run || !keysOf(shortcut).includes(key)) continue;
    if (inField && !shortcut.inFields) continue;
    if (shortcut.run(event) !== false) {
      event.preventDefault();
      return;
    }
  }
}

function isField(target: EventTarget | null): boolean {
  const element = target as Partial<HTMLElement> | null;
  return (
    element?.isContentEditable === true || /^(INPUT|TEXTAREA|SELECT)$/.test(element?.tagName ?? '')
  );
}
