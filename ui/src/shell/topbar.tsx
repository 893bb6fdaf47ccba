/** The top bar: session, views, and tools for every page. */
import { createSignal, For, Show } from 'solid-js';

import { openCapture } from '../capture/dialog';
import { plural } from '../format/numbers';
import { CopyButton } from '../widgets/copy';
import { Hint } from '../widgets/notes';
import { Popover } from '../widgets/popover';
import { Icon } from './icons';
import { openPalette } from './palette';
import { commandLine, sessions, summaryOf } from './session';
import { isCalled, MOST_UNSEARCHED, SessionLabel, SessionSearch } from './session-choice';
import { ShareButton } from './share-button';
import { shared } from './shared';
import { openShortcuts } from './shortcuts-overlay';
import { flushUrl, hrefTo, route } from './state';
import { cycleTheme, themeChoice } from './theme';
import { ViewMenu } from './view-menu';
import './topbar.css';

export function TopBar() {
  const link = () => {
    flushUrl();
    return window.location.href;
  };
  return (
    <header class="topbar">
      <Show
        when={shared()}
        fallback={
          <a class="brand" href="#/" data-tip="All sessions" aria-label="Stepscope">
            <Icon name="logo" />
            <span class="brand-name">Stepscope</span>
          </a>
        }
      >
        <span class="brand">
          <Icon name="logo" />
          <span class="brand-name">Stepscope</span>
        </span>
      </Show>
      <Show when={!shared()}>
        <SessionPicker />
      </Show>
      <Show when={route.session !== null}>
        <ViewMenu />
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
        data-tip="Go to a view, session or action"
        aria-label="Go to"
        onClick={openPalette}
      >
        <Icon name="search" />
        <span class="palette-label">Go to</span> <kbd>Ctrl K</kbd>
      </button>
      <Show when={!shared() && route.session !== null}>
        <ShareButton />
      </Show>
      <CopyButton
        text={link}
        name="Copy the link"
        tip="Copy a link to exactly this page"
        class="quiet icon"
      >
        <Icon name="link" />
      </CopyButton>
      <CopyButton
        text={commandLine}
        name="Copy the command line"
        tip={'Copy the command that prints this:\n' + commandLine()}
        class="quiet icon"
      >
        <Icon name="terminal" />
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
    </header>
  );
}

function SessionPicker() {
  const current = () => summaryOf(route.session);
  return (
    <Show when={route.session !== null}>
      <Popover
        class="session-picker"
        tip={current()?.location}
        label={
          <>
            <span class="session-name">{current()?.name ?? `Session ${route.session}`}</span>
            <span class="session-devices">{current()?.devices}</span>
            <Icon name="down" />
          </>
        }
      >
        {(close) => <SessionLinks close={close} />}
      </Popover>
    </Show>
  );
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
  const warnings = () => summaryOf(route.session)?.warnings ?? [];
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
