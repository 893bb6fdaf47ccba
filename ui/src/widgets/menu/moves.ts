/** How a menu is placed and moved through with keys. Pure. */

/** An action in a menu. */
export interface MenuAction {
  /** One to four words, sentence case. */
  title: string;
  run: () => void;
  /** The value that the action concerns, shown in gray after the title, such as `dot_general.4`. */
  detail?: string | undefined;
  /** The shortcut that does the same, in the notation of `Shortcut.keys`. */
  keys?: string | undefined;
  /** For an option that is on or off. */
  isChecked?: boolean | undefined;
  /** Shown but not available now. */
  isDisabled?: boolean | undefined;
}

/** A line of a menu; a heading names the actions below it. */
export type MenuEntry = MenuAction | 'separator' | { heading: string };

/** Whether the entry can be chosen. */
export function isChoice(entry: MenuEntry | undefined): entry is MenuAction {
  return typeof entry === 'object' && 'run' in entry && !entry.isDisabled;
}

/** Leaves out separators that separate nothing and headings of nothing. */
export function tidied(entries: readonly MenuEntry[]): MenuEntry[] {
  const isAction = (entry: MenuEntry | undefined) => typeof entry === 'object' && 'run' in entry;
  const withoutHeadings = entries.filter(
    (entry, at) => typeof entry === 'string' || isAction(entry) || isAction(entries[at + 1]),
  );
  return withoutHeadings.filter((entry, at) => {
    if (entry !== 'separator') return true;
    const next = withoutHeadings[at + 1];
    return at > 0 && next !== undefined && next !== 'separator';
  });
}

/** The choice that a key moves to, or -1 if there is none; `at` is -1 before the first move. */
export function choiceAfter(entries: readonly MenuEntry[], at: number, key: string): number {
  const choices = entries.flatMap((entry, index) => (isChoice(entry) ? [index] : []));
  const first = choices[0] ?? -1;
  const last = choices[choices.length - 1] ?? -1;
  switch (key) {
    case 'Home':
      return first;
    case 'End':
      return last;
    case 'ArrowDown':
      return choices.find((index) => index > at) ?? first;
    case 'ArrowUp':
      return choices.findLast((index) => index < at) ?? last;
    default:
      return at;
  }
}

/** The next choice whose title starts with the typed letter, wrapping around; `at` if there is none. */
export function choiceCalled(entries: readonly MenuEntry[], at: number, letter: string): number {
  const starts = (entry: MenuEntry) =>
    isChoice(entry) && entry.title.toLowerCase().startsWith(letter.toLowerCase());
  const found = entries.flatMap((entry, index) => (starts(entry) ? [index] : []));
  return found.find((index) => index > at) ?? found[0] ?? at;
}

interface Size {
  width: number;
  height: number;
}

const MARGIN_PX = 6;

/** Where the menu's corner goes: at the point, turned over at the edges of the window. */
export function placeMenu(
  point: { x: number; y: number },
  menu: Size,
  page: Size,
): { left: number; top: number } {
  const fitted = (at: number, size: number, limit: number) => {
    const turned = at + size + MARGIN_PX > limit ? at - size : at;
    return Math.max(MARGIN_PX, Math.min(turned, limit - size - MARGIN_PX));
  };
  return {
    left: fitted(point.x, menu.width, page.width),
    top: fitted(point.y, menu.height, page.height),
  };
}
