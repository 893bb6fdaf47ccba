/** All shortcuts, from the registry; each can be given another key. */
import { createSignal, For, onCleanup, Show } from 'solid-js';

import { Keys } from '../widgets/keys';
import { Modal } from '../widgets/modal';
import { showToast } from '../widgets/toast';
import { chooseKeys, chosenKeys, forgetKeys, hasChoices } from './key-choices';
import {
  conflictsOf,
  idOf,
  keyOf,
  keysOf,
  registerShortcut,
  shortcuts,
  type Shortcut,
} from './shortcuts';

export default function ShortcutsPanel(props: { close: () => void }) {
  onCleanup(
    registerShortcut({
      keys: ['Escape'],
      group: 'Everywhere',
      label: 'Close or clear',
    }),
  );
  /** The command whose next key is being waited for. */
  const [awaited, setAwaited] = createSignal<string | null>(null);
  const groups = () => {
    const found = new Map<string, Shortcut[]>();
    for (const shortcut of shortcuts()) {
      if (keysOf(shortcut).length === 0 && shortcut.keys.length === 0) continue;
      const list = found.get(shortcut.group) ?? [];
      if (!list.some((other) => other.label === shortcut.label)) list.push(shortcut);
      found.set(shortcut.group, list);
    }
    return [...found];
  };
  /** A key pressed while one is awaited is the new key, whatever else it does. */
  const take = (event: KeyboardEvent) => {
    const id = awaited();
    if (id === null || /^(Shift|Control|Alt|Meta)$/.test(event.key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key !== 'Escape' && event.key !== 'Tab') chooseKeys(id, [keyOf(event)]);
    setAwaited(null);
  };
  window.addEventListener('keydown', take, true);
  onCleanup(() => window.removeEventListener('keydown', take, true));
  const reset = () =>
    showToast({
      text: 'All keys are the original ones',
      action: { title: 'Undo', run: forgetKeys() },
    });
  return (
    <Modal class="shortcuts" label="Keyboard shortcuts" close={props.close}>
      <header class="shortcuts-head">
        <h2>Keyboard shortcuts</h2>
        <span class="muted">Click a key to change it</span>
        <span class="spacer" />
        <Show when={hasChoices()}>
          <button class="quiet" onClick={reset}>
            Reset all
          </button>
        </Show>
        <button class="quiet" onClick={props.close}>
          Close
        </button>
      </header>
      <div class="shortcut-groups">
        <For each={groups()}>
          {([group, list]) => (
            <section>
              <h3>{group}</h3>
              <For each={list}>
                {(shortcut) => (
                  <Line
                    shortcut={shortcut}
                    isAwaited={awaited() === idOf(shortcut)}
                    onChange={() => setAwaited(idOf(shortcut))}
                  />
                )}
              </For>
            </section>
          )}
        </For>
      </div>
    </Modal>
  );
}

/** Gestures and Escape are what they are. */
const isFixed = (shortcut: Shortcut) => !shortcut.run || shortcut.keys.includes('Escape');

function Line(props: { shortcut: Shortcut; isAwaited: boolean; onChange: () => void }) {
  const keys = () => keysOf(props.shortcut).filter((key) => !key.startsWith('Meta+'));
  const others = () => conflictsOf(props.shortcut).map(({ label }) => label);
  const isChosen = () => chosenKeys(idOf(props.shortcut)) !== undefined;
  const signs = () => <For each={keys()}>{(key) => <Keys text={key} />}</For>;
  return (
    <div class="shortcut">
      <span>
        {props.shortcut.label}
        <Show when={others().length > 0}>
          <span class="shortcut-conflict" role="alert">
            Same key as: {others().join(', ')}
          </span>
        </Show>
      </span>
      <Show when={!isFixed(props.shortcut)} fallback={<span class="shortcut-keys">{signs()}</span>}>
        <span class="shortcut-keys">
          <Show when={isChosen()}>
            <button
              class="quiet shortcut-reset"
              onClick={() => chooseKeys(idOf(props.shortcut), null)}
            >
              Reset
            </button>
          </Show>
          <button
            class="quiet shortcut-change"
            aria-label={`Change the key of: ${props.shortcut.label}`}
            onClick={() => props.onChange()}
          >
            <Show when={!props.isAwaited} fallback={<em>Press a key …</em>}>
              {signs()}
            </Show>
          </button>
        </span>
      </Show>
    </div>
  );
}
