/** The command palette: finds any view, session or action by a few letters. */
import { createMemo, createSignal, For, onCleanup, Show } from 'solid-js';

import { openCapture } from '../capture/dialog';
import { copyText } from '../widgets/copy';
import { Modal } from '../widgets/modal';
import { Prose } from '../widgets/prose';
import { ranked } from './palette-order';
import { commandLine, entryView, menu, sessions } from './session';
import { openShortcuts } from './shortcuts-overlay';
import { shared } from './shared';
import { registerShortcut } from './shortcuts';
import {
  baseline,
  clearSelection,
  flushUrl,
  navigate,
  route,
  select,
  setBaseline,
  swapBaseline,
} from './state';
import { setTheme } from './theme';

interface Command {
  title: string;
  detail: string;
  group: string;
  run: () => void;
}

const [isOpen, setOpen] = createSignal(false);

export const openPalette = () => setOpen(true);

export function CommandPalette() {
  onCleanup(
    registerShortcut({
      keys: ['Ctrl+k', 'Meta+k'],
      group: 'Everywhere',
      label: 'Go to a view, session or action',
      inFields: true,
      inPanels: true,
      run: () => {
        setOpen(!isOpen());
      },
    }),
  );
  return (
    <Show when={isOpen()}>
      <Panel />
    </Show>
  );
}

function Panel() {
  const [query, setQuery] = createSignal('');
  const [active, setActive] = createSignal(0);
  const found = createMemo(() => [...ranked(commands(), query()), ...searches(query())]);
  const run = (command: Command | undefined) => {
    if (!command) return;
    setOpen(false);
    command.run();
  };
  const onKey = (event: KeyboardEvent) => {
    const count = Math.max(1, found().length);
    if (event.key === 'ArrowDown') setActive((active() + 1) % count);
    else if (event.key === 'ArrowUp') setActive((active() + count - 1) % count);
    else if (event.key === 'Enter') run(found()[active()]);
    else return;
    event.preventDefault();
    event.stopPropagation();
    document
      .querySelector('.palette li[aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Modal class="palette" label="Command palette" close={() => setOpen(false)} onKeyDown={onKey}>
      <input
        type="text"
        placeholder="View, session, action, or steps such as 3..8"
        aria-label="Command"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${active()}`}
        ref={(field) => setTimeout(() => field.focus())}
        value={query()}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setActive(0);
        }}
      />
      <ul role="listbox" id="palette-list" tabindex="-1">
        <For each={found()} fallback={<li class="muted">No matches</li>}>
          {(command, index) => (
            <li
              role="option"
              id={`palette-${index()}`}
              aria-selected={index() === active()}
              onPointerMove={() => setActive(index())}
              onClick={() => run(command)}
            >
              <span>{command.title}</span>
              <span class="palette-detail">
                <Prose text={command.detail} />
              </span>
              <span class="palette-group">{command.group}</span>
            </li>
          )}
        </For>
      </ul>
    </Modal>
  );
}

function commands(): Command[] {
  const list: Command[] = [];
  if (route.session !== null) {
    for (const entry of menu()) {
      list.push({
        title: entry.title,
        detail: entry.summary,
        group: 'View',
        run: () => navigate({ view: entry.name }),
      });
    }
  }
  for (const session of shared() ? [] : (sessions.data()?.sessions ?? [])) {
    const view = route.session === null ? entryView(session) : route.view;
    list.push({
      title: session.name,
      detail: session.devices || session.location,
      group: 'Session',
      run: () => navigate({ session: session.key, view }),
    });
  }
  // A report contains one session and cannot compute anything.
  if (!shared()) {
    list.push(
      action('All sessions', () => navigate({ session: null, view: 'sessions' })),
      action('Capture a running job', openCapture),
      action('Clear the selection', clearSelection),
      ...baselineCommands(),
    );
  }
  list.push(
    action('Copy the link', () => {
      flushUrl();
      void copyText(window.location.href);
    }),
    action('Copy the command line', () => void copyText(commandLine()), commandLine()),
    action('Light colors', () => setTheme('light')),
    action('Dark colors', () => setTheme('dark')),
    action('System colors', () => setTheme('auto')),
    action('Keyboard shortcuts', openShortcuts),
  );
  return list;
}

/** Commands that choose, swap and clear the baseline. */
function baselineCommands(): Command[] {
  if (route.session === null) return [];
  const others = (sessions.data()?.sessions ?? []).filter(({ key }) => key !== route.session);
  const list = others.map((session) => ({
    ...action(`Compare with ${session.name}`, () => setBaseline(session.key), session.devices),
    group: 'Baseline',
  }));
  if (baseline() === null) return list;
  return [
    ...list,
    { ...action('Swap with the baseline', swapBaseline), group: 'Baseline' },
    { ...action('Clear the baseline', () => setBaseline(null)), group: 'Baseline' },
  ];
}

function action(title: string, run: () => void, detail = ''): Command {
  return { title, detail, group: 'Action', run };
}

/** Commands that use the typed text itself. */
function searches(query: string): Command[] {
  const text = query.trim();
  if (!text || route.session === null) return [];
  const list: Command[] = [];
  if (!shared() && /^[\d.,=\s]+$/.test(text)) {
    list.push({
      title: `Select steps ${text}`,
      detail: '',
      group: 'Selection',
      run: () => select('steps', text),
    });
  }
  list.push({
    title: `Slices that match “${text}” in the timeline`,
    detail: '',
    group: 'Search',
    run: () => navigate({ view: 'timeline', params: { search: text } }),
  });
  list.push({
    title: `Ops that match “${text}”`,
    detail: '',
    group: 'Search',
    run: () => navigate({ view: 'ops', params: { q: text } }),
  });
  return list;
}
