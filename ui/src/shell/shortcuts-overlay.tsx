/** The list of shortcuts opened by `?`, generated from the registry. */
import { createSignal, For, onCleanup, Show } from 'solid-js';

import { registerShortcut, shortcuts, type Shortcut } from './shortcuts';
import { Keys } from '../widgets/keys';
import { Modal } from '../widgets/modal';

const [isOpen, setOpen] = createSignal(false);

export const openShortcuts = () => setOpen(true);

export function ShortcutsOverlay() {
  onCleanup(
    registerShortcut({
      keys: ['?'],
      group: 'Everywhere',
      label: 'Show the shortcuts',
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
  onCleanup(
    registerShortcut({
      keys: ['Escape'],
      group: 'Everywhere',
      label: 'Close or clear',
    }),
  );
  const groups = () => {
    const found = new Map<string, Shortcut[]>();
    for (const shortcut of shortcuts()) {
      const list = found.get(shortcut.group) ?? [];
      if (!list.some((other) => other.label === shortcut.label)) list.push(shortcut);
      found.set(shortcut.group, list);
    }
    return [...found];
  };
  return (
    <Modal class="shortcuts" label="Keyboard shortcuts" close={() => setOpen(false)}>
      <h2>Keyboard shortcuts</h2>
      <div class="shortcut-groups">
        <For each={groups()}>
          {([group, list]) => (
            <section>
              <h3>{group}</h3>
              <For each={list}>
                {(shortcut) => (
                  <p class="shortcut">
                    <span>{shortcut.label}</span>
                    <span class="shortcut-keys">
                      <For each={shortcut.keys.filter((key) => !key.startsWith('Meta+'))}>
                        {(key) => <Keys text={key} />}
                      </For>
                    </span>
                  </p>
                )}
              </For>
            </section>
          )}
        </For>
      </div>
    </Modal>
  );
}
