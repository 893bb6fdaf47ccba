/** The command palette: finds any view, command, session or name by a few letters. */
import { createSignal, lazy, onCleanup, Show } from 'solid-js';

import { Late } from '../widgets/late';
import { registerShortcut } from './shortcuts';

const Panel = lazy(() => import('./palette-panel'));

const [isOpen, setOpen] = createSignal(false);

export const openPalette = () => setOpen(true);

export function CommandPalette() {
  onCleanup(
    registerShortcut({
      keys: ['Ctrl+k', 'Meta+k'],
      group: 'Everywhere',
      label: 'Go to a view, session, op or command',
      inFields: true,
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
