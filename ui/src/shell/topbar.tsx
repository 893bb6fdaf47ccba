/** The top bar: the session, and tools for every page. */
import { createSignal, For, Show } from 'solid-js';

import { openCapture } from '../capture/open';
import { plural } from '../format/numbers';
import { CopyButton, copyText } from '../widgets/copy';
import { contextMenu, openMenu, type MenuEntry } from '../widgets/menu/menu';
import { Hint } from '../widgets/notes';
import { Popover } from '../widgets/popover';
import type { SessionSummary } from '../wire/types';
import { Icon } from './icons';
import { openPalette } from './palette';
import { Brand } from './rail';
import { isDrawerOpen, isNarrow, setDrawerOpen } from './rail-state';
import { commandLine, sessions, summaryOf } from './session';
import { isCalled, MOST_UNSEARCHED, SessionLabel, SessionSearch } from './session-choice';
import { calledInShort } from './session-order';
import { ShareButton } from './share-button';
import { shared } from './shared';
import { openShortcuts } from './shortcuts-overlay';
import { flushUrl, hrefTo, navigate, route } from './state';
import { isProblem } from './warnings';
import { cycleTheme, setTheme, themeChoice } from './theme';
import './topbar.css';

export function TopBar() {
  return (
    <div class="topbar">
      <Show when={route.session === null} fallback={<Show when={isNarrow()}><DrawerButton /></Show>}>
        <Brand />
      </Show>
      <Show when={!shared() && route.session !== null}>
        <SessionPicker />
      </Show>
      <span class="spacer" />
      <SessionWarnings />
      <Show when={!shared()}>
        <button
          class="quiet capture-button"
          data-tip="Record a running job"
          aria-label="Capture"
          onClick={openCapture}
        >
          <Icon name="record" />
          <span class="capture-label">Capture</span>
        </button>
      </Show>
      <button
        class="quiet palette-button"
        data-tip="Go to a view, session or command (Ctrl+K)"
        aria-label="Go to"
        onClick={openPalette}
      >
        <Icon name="search" />
        <span class="palette-label">Go to</span>
      </button>
      <Show when={!shared() && route.session !== null}>
        <ShareButton />
      </Show>
      <Show when={!isNarrow()} fallback={<MoreButton />}>
        <CopyButton
          text={currentLink}
          name="Copy the link"
          tip="Copy a link to exactly this page"
          class="quiet icon"
        >
          <Icon name="link" />
        </CopyButton>
        <button
          class="quiet icon"
          data-tip={`Colors: ${themeChoice()}`}
          aria-label="Theme"
          onClick={cycleTheme}
        >
          <Icon
            name={themeChoice() === 'auto' ? 'auto' : themeChoice() === 'dark' ? 'moon' : 'sun'}
          />
        </button>
        <button
          class="quiet icon"
          data-tip="Keyboard shortcuts"
          aria-label="Keyboard shortcuts"
          onClick={openShortcuts}
        >
          <kbd>?</kbd>
        </button>
      </Show>
    </div>
  );
}

/** The address of exactly this page. */
function currentLink(): string {
  flushUrl();
  return window.location.href;
}

/** Opens the navigation in narrow windows. */
function DrawerButton() {
  return (
    <button
      class="quiet icon"
      aria-label="Views"
      aria-expanded={isDrawerOpen()}
      onClick={() => setDrawerOpen(true)}
    >
      <Icon name="menu" />
    </button>
  );
}

/** In narrow windows: what has no room in the bar. */
function MoreButton() {
  const open = (event: MouseEvent & { currentTarget: HTMLElement }) =>
    openMenu(event.currentTarget, [
      { title: 'Copy the link', run: () => void copyText(currentLink()) },
      { title: 'Copy the command line', run: () => void copyText(commandLine()) },
      'separator',
      ...(['light', 'dark', 'auto'] as const).map((theme) => ({
        title: theme === 'auto' ? 'System colors' : `${theme === 'light' ? 'Light' : 'Dark'} colors`,
        isChecked: themeChoice() === theme,
        run: () => setTheme(theme),
      })),
      'separator',
      { title: 'Keyboard shortcuts', run: openShortcuts },
    ]);
  return (
    <button class="quiet icon" aria-label="More" aria-haspopup="menu" onClick={open}>
      <Icon name="more" />
    </button>
  );
}

/** Its name, with the folder if the name alone is a date. */
const nameOf = (session: SessionSummary | undefined) =>
  session && calledInShort(session, sessions.data()?.root ?? '');

function SessionPicker() {
  const current = () => summaryOf(route.session);
  return (
    <span class="session-place" onContextMenu={contextMenu(() => sessionMenu(current()))}>
    <Popover
      class="session-picker"
      tip={current()?.location}
      label={
        <>
          <span class="session-name">{nameOf(current()) ?? `Session ${route.session}`}</span>
          <span class="session-devices">{current()?.devices}</span>
          <Icon name="down" />
        </>
      }
    >
      {(close) => <SessionLinks close={close} />}
    </Popover>
    </span>
  );
}

/** What a right click on the session offers. */
function sessionMenu(session: SessionSummary | undefined): MenuEntry[] {
  if (!session) return [];
  return [
    { title: 'Copy the name', detail: session.name, run: () => void copyText(session.name) },
    { title: 'Copy the path', detail: session.location, run: () => void copyText(session.location) },
    { title: 'Copy the link', run: () => void copyText(currentLink()) },
    { title: 'Copy the command line', run: () => void copyText(commandLine()) },
    'separator',
    { title: 'All sessions', run: () => navigate({ session: null, view: 'sessions' }) },
  ];
}

/** All sessions as links, with a search field if there are many. */
function SessionLinks(props: { close: () => void }) {
  const [query, setQuery] = createSignal('');
  const all = () => sessions.data()?.sessions ?? [];
  const found = () => all().filter((session) => isCalled(session, query()));
  return (
    <>
      <Show when={all().length > MOST_UNSEARCHED}>
        <SessionSearch value={query()} onInput={setQuery} />
      </Show>
      <ul class="session-list">
        <For each={found()} fallback={<li class="muted">No matching session</li>}>
          {(session) => (
            <li>
              <a
                href={hrefTo({ session: session.key, view: route.view })}
                aria-current={session.key === route.session ? 'true' : undefined}
                onClick={() => props.close()}
              >
                <SessionLabel session={session} />
              </a>
            </li>
          )}
        </For>
        <li>
          <a href="#/" onClick={() => props.close()}>
            All sessions in {sessions.data()?.root}
          </a>
        </li>
      </ul>
    </>
  );
}

function SessionWarnings() {
  const warnings = () => (summaryOf(route.session)?.warnings ?? []).filter(isProblem);
  return (
    <Show when={warnings().length > 0}>
      <Popover
        isRight
        class="quiet session-warnings"
        tip="Problems in the files of this session"
        name={plural(warnings().length, 'warning')}
        label={
          <>
            ⚠ {warnings().length}
            <span class="warning-word"> {warnings().length === 1 ? 'warning' : 'warnings'}</span>
          </>
        }
      >
        {() => (
          <ul class="notes">
            <For each={warnings()}>
              {(warning) => (
                <li class="note is-warning">
                  <span class="note-mark">!</span>
                  <div>
                    <p>
                      <Show when={warning.host}>{(host) => <strong>{host()}: </strong>}</Show>
                      {warning.message}
                    </p>
                    <Show when={warning.hint}>{(hint) => <Hint hint={hint()} />}</Show>
                  </div>
                </li>
              )}
            </For>
          </ul>
        )}
      </Popover>
    </Show>
  );
}
