/**
 * Light, dark, or the system's choice. `data-theme` on the root element is always `light` or
 * `dark`; the colors are CSS variables in `theme.css`. `isDark()` is reactive, for canvases.
 */
import { createSignal } from 'solid-js';

import { store, stored } from './stored';

export type ThemeChoice = 'auto' | 'light' | 'dark';

const KEY = 'stepscope.theme';
const system =
  typeof matchMedia === 'undefined' ? undefined : matchMedia('(prefers-color-scheme: dark)');

/** The theme of the notebook around a page in a frame, which may not be the system's. */
const around =
  typeof document === 'undefined' ? undefined : document.documentElement.dataset['around'];

const [choice, setChoice] = createSignal<ThemeChoice>(kept());
const [isDark, setDark] = createSignal(resolved());

export { choice as themeChoice, isDark };

/** Applies a choice and remembers it in this browser. */
export function setTheme(wanted: ThemeChoice): void {
  setChoice(wanted);
  store(KEY, wanted === 'auto' ? null : wanted);
  apply();
}

/** Cycles through auto, light and dark. */
export function cycleTheme(): void {
  const order: ThemeChoice[] = ['auto', 'light', 'dark'];
  setTheme(order[(order.indexOf(choice()) + 1) % order.length] ?? 'auto');
}

/** A color of the theme as `#rrggbb`, by the name of its variable without leading dashes. */
export function themeColor(name: string): string {
  isDark();
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Applies the theme and follows changes of the system's. */
export function installTheme(): void {
  apply();
  system?.addEventListener('change', apply);
}

function apply(): void {
  document.documentElement.dataset['theme'] = resolved() ? 'dark' : 'light';
  setDark(resolved());
}

function resolved(): boolean {
  if (choice() !== 'auto') return choice() === 'dark';
  return around === undefined ? (system?.matches ?? false) : around === 'dark';
}

function kept(): ThemeChoice {
  const value = stored(KEY);
  return value === 'light' || value === 'dark' ? value : 'auto';
}
