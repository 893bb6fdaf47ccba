/** The list of shortcuts opened by `?`, generated from the registry. Each can be given another key. */
import { createSignal, lazy, onCleanup, Show } from 'solid-js';

import { Late } from '../widgets/late';
import { registerShortcut } from './shortcuts';

const Panel = lazy(() => import('./shortcuts-panel'));

const [isOpen, setOpen] = createSignal(false);

export const openShortcuts = () => setOpen(true);

export function ShortcutsOverlay() {
  onCleanup(
    registerShortcut({
      keys: ['?'],
      group: 'Everywhere',
      label: 'Keyboard shortcuts: show and change',
      inPanels: true,
      run: () => {
        setOpen(!isOpen());
      },
    }),
  );
  return (
    <Show when={isOpen()}>
      <Late>
        <Panel close={() => setOpen(false)} />
      </Late>
    </Show>
  );
}
