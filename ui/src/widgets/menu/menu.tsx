/**
 * The only menu of the page, opened by a right click, Shift+F10, the menu key, or a button:
 *
 *     <tr onContextMenu={contextMenu(() => [
 *       { title: 'Copy name', detail: row.name, run: () => copyText(row.name) },
 *       'separator',
 *       { title: 'Show in Timeline', keys: 't', run: () => navigate(…) },
 *     ])}>
 *
 * - `contextMenu(entries)` makes a handler of `contextmenu`. The entries are read when the menu opens; if
 *   it returns none, the browser's own menu opens, as it does with Shift held and in text fields. Inner
 *   elements win: a handler does nothing if another one has already opened a menu for the event.
 * - `openMenu(at, entries)` opens it at a point of the window (a canvas) or below an element (a button).
 * - Up, Down, Home, End and letters move; Enter and Space choose; Escape, Tab, a click elsewhere,
 *   scrolling and a change of view close. The focus then returns to where it was.
 * - Separators and headings with nothing to separate are left out, so that callers can list entries by
 *   condition: `...(isOp ? [{ heading: 'Op' }, …] : [])`.
 *
 * `MenuLayer` is mounted once, by the shell.
 */
import { createEffect, createSignal, For, Match, on, onCleanup, onMount, Show, Switch } from 'solid-js';

import { route } from '../../shell/state';
import { Keys } from '../keys';
import { choiceAfter, choiceCalled, isChoice, placeMenu, tidied, type MenuEntry } from './moves';
import './menu.css';

export type { MenuAction, MenuEntry } from './moves';

/** A point of the window, or an element below which the menu opens. */
export type MenuPlace = { x: number; y: number } | Element;

interface Open {
  entries: MenuEntry[];
  point: { x: number; y: number };
  /** Gets the focus back. */
  focused: Element | null;
}

const [open, setOpen] = createSignal<Open | null>(null);

/** Opens the menu; without entries to choose from, it does nothing. */
export function openMenu(at: MenuPlace, entries: readonly MenuEntry[]): void {
  const shown = tidied(entries);
  if (!shown.some(isChoice)) return;
  const focused = open()?.focused ?? document.activeElement;
  setOpen({ entries: shown, point: at instanceof Element ? below(at) : at, focused });
}

/** A handler of `contextmenu` that opens the menu. */
export function contextMenu(
  entries: (event: MouseEvent) => readonly MenuEntry[] | Promise<readonly MenuEntry[]>,
): (event: MouseEvent) => void {
  return (event) => {
    const target = event.target instanceof Element ? event.target : null;
    if (event.defaultPrevented || event.shiftKey || target?.closest('input, textarea')) return;
    const found = entries(event);
    // Entries whose code has to be fetched first are there, whatever they are.
    if (!(found instanceof Promise) && !found.some(isChoice)) return;
    event.preventDefault();
    // Opened by a key, the event has no position of a pointer.
    const isByKey = event.button !== 2 && target !== null;
    const place = isByKey ? target : { x: event.clientX, y: event.clientY };
    if (found instanceof Promise) found.then((list) => openMenu(place, list), () => undefined);
    else openMenu(place, found);
  };
}

export function MenuLayer() {
  return (
    <Show when={open()} keyed>
      {(menu) => (
        // A landmark, as everything on the page is in one.
        <section aria-label="Menu">
          <Menu {...menu} />
        </section>
      )}
    </Show>
  );
}

function close(): void {
  const focused = open()?.focused;
  setOpen(null);
  if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
}

function below(element: Element): { x: number; y: number } {
  const { left, bottom } = element.getBoundingClientRect();
  return { x: left, y: bottom + 2 };
}

function Menu(props: Open) {
  let list!: HTMLDivElement;
  const [active, setActive] = createSignal(-1);
  const [place, setPlace] = createSignal({ left: 0, top: 0 });

  const choose = (entry: MenuEntry | undefined) => {
    if (!isChoice(entry)) return;
    close();
    entry.run();
  };
  const onKey = (event: KeyboardEvent) => {
    // Nothing behind the menu sees a key.
    event.stopPropagation();
    const { key } = event;
    if (key === 'Escape' || key === 'Tab') close();
    else if (key === 'Enter' || key === ' ') choose(props.entries[active()]);
    else if (/^(Arrow(Up|Down)|Home|End)$/.test(key)) {
      setActive(choiceAfter(props.entries, active(), key));
    } else if (/^\S$/.test(key) && !event.ctrlKey && !event.metaKey) {
      setActive(choiceCalled(props.entries, active(), key));
    } else return;
    event.preventDefault();
    list.querySelector('.is-active')?.scrollIntoView({ block: 'nearest' });
  };

  onMount(() => {
    // In the top layer, above everything else, and never clipped.
    list.showPopover();
    const page = { width: window.innerWidth, height: window.innerHeight };
    setPlace(placeMenu(props.point, list.getBoundingClientRect(), page));
    list.focus({ preventScroll: true });
    const outside = (event: Event) => {
      if (event.target instanceof Node && !list.contains(event.target)) close();
    };
    const leave = () => setOpen(null);
    const options = { capture: true, passive: true };
    document.addEventListener('pointerdown', outside, options);
    document.addEventListener('wheel', outside, options);
    window.addEventListener('resize', leave);
    window.addEventListener('blur', leave);
    onCleanup(() => {
      document.removeEventListener('pointerdown', outside, options);
      document.removeEventListener('wheel', outside, options);
      window.removeEventListener('resize', leave);
      window.removeEventListener('blur', leave);
    });
  });
  createEffect(on([() => route.view, () => route.session], () => setOpen(null), { defer: true }));

  return (
    <div
      ref={list}
      class="menu"
      popover="manual"
      role="menu"
      tabindex="-1"
      aria-activedescendant={active() < 0 ? undefined : `menu-${active()}`}
      style={{ left: `${place().left}px`, top: `${place().top}px` }}
      onKeyDown={onKey}
      onContextMenu={(event) => event.preventDefault()}
    >
      <For each={props.entries}>
        {(entry, index) => (
          <Switch>
            <Match when={entry === 'separator'}>
              <div class="menu-separator" role="separator" />
            </Match>
            <Match when={typeof entry === 'object' && 'heading' in entry && entry}>
              {(found) => (
                <div class="menu-heading" role="presentation">
                  {found().heading}
                </div>
              )}
            </Match>
            <Match when={typeof entry === 'object' && 'run' in entry && entry}>
              {(action) => (
                <div
                  id={`menu-${index()}`}
                  class="menu-action"
                  classList={{ 'is-active': index() === active() }}
                  role={action().isChecked === undefined ? 'menuitem' : 'menuitemcheckbox'}
                  aria-checked={action().isChecked}
                  aria-disabled={action().isDisabled ?? false}
                  onPointerMove={() => setActive(isChoice(entry) ? index() : -1)}
                  onClick={() => choose(entry)}
                >
                  <span class="menu-check" aria-hidden="true">
                    {action().isChecked ? '✓' : ''}
                  </span>
                  <span class="menu-title">{action().title}</span>
                  <span class="menu-detail">{action().detail}</span>
                  <Show when={action().keys}>{(keys) => <Keys text={keys()} />}</Show>
                </div>
              )}
            </Match>
          </Switch>
        )}
      </For>
    </div>
  );
}
