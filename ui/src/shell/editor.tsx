/** Which editor source lines open in, and where recorded paths are on this machine. Kept in this browser. */
import { createSignal, lazy, Show } from 'solid-js';

import { sourceHref, USUAL_EDITOR, type EditorChoice } from '../format/source-link';
import { Late } from '../widgets/late';
import { store, stored } from './stored';

const Panel = lazy(() => import('./editor-panel'));

const KEY = 'stepscope.editor';

const [choice, setChoice] = createSignal<EditorChoice>(kept());
const [isOpen, setOpen] = createSignal(false);

/** Opens the settings. */
export const openEditorSettings = () => setOpen(true);

/** The link that opens a source line; null if there is none. Reactive. */
export const editorHref = (source: string): string | null => sourceHref(source, choice());

export function EditorDialog() {
  const save = (draft: EditorChoice) => {
    setChoice(draft);
    store(KEY, JSON.stringify(draft));
    setOpen(false);
  };
  return (
    <Show when={isOpen()}>
      <Late>
        <Panel choice={choice()} save={save} close={() => setOpen(false)} />
      </Late>
    </Show>
  );
}

function kept(): EditorChoice {
  try {
    const value: unknown = JSON.parse(stored(KEY) ?? '{}');
    return { ...USUAL_EDITOR, ...(value as Partial<EditorChoice>) };
  } catch {
    return USUAL_EDITOR;
  }
}
