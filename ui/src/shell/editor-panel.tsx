/** Where the reader chooses the editor of source lines, and maps recorded paths. */
import { createSignal, For, Show } from 'solid-js';

import { EDITORS, problemOf, sourceHref, type EditorChoice } from '../format/source-link';
import { Modal } from '../widgets/modal';
import './editor.css';

const EXAMPLE = '/app/model/layers.py:42';

interface EditorPanelProps {
  choice: EditorChoice;
  save: (choice: EditorChoice) => void;
  close: () => void;
}

export default function EditorPanel(props: EditorPanelProps) {
  const [template, setTemplate] = createSignal(props.choice.template);
  const [mappings, setMappings] = createSignal(props.choice.mappings);
  const draft = () => ({ template: template().trim(), mappings: mappings() });
  const problem = () => problemOf(template().trim());
  const save = (event: Event) => {
    event.preventDefault();
    if (problem() === '') props.save(draft());
  };
  return (
    <Modal class="editor-settings" label="Source lines" close={() => props.close()}>
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
          <button type="button" onClick={() => props.close()}>
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
