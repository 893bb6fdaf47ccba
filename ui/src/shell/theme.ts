/**
 * Light, dark, or the system's choice. `data-theme` on the root element is always `light` or
 * `dark`; the colors are CSS variables in `theme.css`. `isDark()` is reactive, for canvases.
 */
import { createSignal } from 'solid-js';

export type ThemeChoice = 'auto' | 'light' | 'dark';

const KEY = 'stepscope.theme';
const system =
  typeof matchMedia === 'undefined' ? undefined : matchMedia('(prefers-color-scheme: dark)');

const [choice, setChoice] = createSignal<ThemeChoice>(stored());
const [isDark, setDark] = createSignal(resolved());

export { choice as themeChoice, isDark };

/** Applies a choice and remembers it in this browser. */
export function setTheme(wanted: ThemeChoice): void {
  setChoice(wanted);
  try {
    if (wanted === 'auto') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, wanted);
  } catch {
    // An iframe may have no storage; the choice then lasts as long as the page.
  }
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
  return choice() === 'dark' || (choice() === 'auto' && (system?.matches ?? false));
}

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto';
  }
}
