/** Which editor source lines open in, and where recorded paths are on this machine. Kept in this browser. */
import { createSignal, For, Show } from 'solid-js';

import {
  EDITORS,
  problemOf,
  sourceHref,
  USUAL_EDITOR,
  type EditorChoice,
} from '../format/source-link';
import { Modal } from '../widgets/modal';
import { store, stored } from './stored';
import './editor.css';

const KEY = 'stepscope.editor';

const [choice, setChoice] = createSignal<EditorChoice>(kept());
const [isOpen, setOpen] = createSignal(false);

/** Opens the settings. */
export const openEditorSettings = () => setOpen(true);

/** The link that opens a source line; null if there is none. Reactive. */
export const editorHref = (source: string): string | null => sourceHref(source, choice());

export function EditorDialog() {
  return (
    <Show when={isOpen()}>
      <Panel />
    </Show>
  );
}

const EXAMPLE = '/app/model/layers.py:42';

function Panel() {
  const [template, setTemplate] = createSignal(choice().template);
  const [mappings, setMappings] = createSignal(choice().mappings);
  const draft = () => ({ template: template().trim(), mappings: mappings() });
  const problem = () => problemOf(template().trim());
  const save = (event: Event) => {
    event.preventDefault();
    if (problem() !== '') return;
    setChoice(draft());
    store(KEY, JSON.stringify(draft()));
    setOpen(false);
  };
  return (
    <Modal class="editor-settings" label="Source lines" close={() => setOpen(false)}>
      <form onSubmit={save}>
        <h2>Source lines</h2>
        <p class="muted">
          Source lines link to an editor on this machine.
        </p>
        <div class="segmented" role="group" aria-label="Editor">
          <For each={EDITORS}>
            {(editor) => (
              <button
                type="button"
                aria-pressed={template() === editor.template}
                onClick={() => setTemplate(editor.template)}
              >
                {editor.title}
              </button>
            )}
          </For>
        </div>
        <label>
          <span>Address</span>
          <input
            type="text"
            class="mono"
            spellcheck={false}
            value={template()}
            onInput={(event) => setTemplate(event.currentTarget.value)}
          />
        </label>
        <label>
          <span>Paths, one mapping per line: recorded {'=>'} on this machine</span>
          <textarea
            rows="3"
            class="mono"
            spellcheck={false}
            placeholder="/app => /home/me/project"
            value={mappings()}
            onInput={(event) => setMappings(event.currentTarget.value)}
          />
        </label>
        <p class="muted" role="status">
          <Show when={problem()} fallback={<>{EXAMPLE} opens {sourceHref(EXAMPLE, draft()) ?? 'nothing'}</>}>
            {(text) => <span class="editor-problem">{text()}</span>}
          </Show>
        </p>
        <footer>
          <button type="button" onClick={() => setOpen(false)}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={problem() !== ''}>
            Save
          </button>
        </footer>
      </form>
    </Modal>
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
