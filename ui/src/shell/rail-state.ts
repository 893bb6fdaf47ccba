/** Whether the navigation is folded; kept in this browser. Narrow windows show it as a drawer instead. */
import { createSignal } from 'solid-js';

import { stored, store } from './stored';

const KEY = 'stepscope.rail';

/** Below this, the navigation would take a third of the window. */
const DRAWER_BELOW_PX = 740;
/** Below this, it starts folded. */
const FOLDED_BELOW_PX = 1180;

const widthBelow = (px: number) =>
  typeof matchMedia === 'undefined' ? undefined : matchMedia(`(width < ${px}px)`);

/** A media query as a signal. */
function follow(query: MediaQueryList | undefined): () => boolean {
  const [matches, setMatches] = createSignal(query?.matches ?? false);
  query?.addEventListener('change', (event) => setMatches(event.matches));
  return matches;
}

/** Whether the window is too narrow for a column of views. */
export const isNarrow = follow(widthBelow(DRAWER_BELOW_PX));
const isTight = follow(widthBelow(FOLDED_BELOW_PX));

const [choice, setChoice] = createSignal(stored(KEY));

/** What the user chose; without a choice, narrow windows fold it. */
export const isFolded = () => (choice() === null ? isTight() : choice() === 'folded');

/** The widths of the navigation in `rail.css`. */
const OPEN_PX = 176;
const FOLDED_PX = 45;

/** The width that the navigation leaves for the view, known before either is there. */
export function mainWidth(): number {
  const folded = isFolded() ? FOLDED_PX : OPEN_PX;
  return window.innerWidth - (isNarrow() ? 0 : folded);
}

export function toggleFold(): void {
  const next = isFolded() ? 'open' : 'folded';
  setChoice(next);
  store(KEY, next);
}

const [isDrawerOpen, setDrawerOpen] = createSignal(false);
export { isDrawerOpen, setDrawerOpen };
