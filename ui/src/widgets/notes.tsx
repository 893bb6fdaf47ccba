/** What figures do not cover: warnings in sight, the rest folded below. */
import { For, Show } from 'solid-js';

import type { Note } from '../wire/generated/Note';
import { CodeBlock, CopyButton } from './copy';
import './notes.css';

/** Warnings of a report, above its figures. */
export function Warnings(props: { notes: readonly Note[] }) {
  return (
    <Show when={props.notes.some((note) => note.kind === 'warning')}>
      <NotesList notes={props.notes.filter((note) => note.kind === 'warning')} />
    </Show>
  );
}

/** How the figures were obtained, below them; open when short. */
export function Remarks(props: { notes: readonly Note[] }) {
  const infos = () => props.notes.filter((note) => note.kind === 'info');
  return (
    <Show when={infos().length > 0}>
      <details class="remarks" open={infos().length <= 3}>
        <summary>How these figures were obtained ({infos().length})</summary>
        <NotesList notes={infos()} />
      </details>
    </Show>
  );
}

export function NotesList(props: { notes: readonly Note[] }) {
  return (
    <ul class="notes">
      <For each={props.notes}>
        {(note) => (
          <li class={`note is-${note.kind}`}>
            <span class="note-mark" aria-label={note.kind}>
              {note.kind === 'warning' ? '!' : 'i'}
            </span>
            <div>
              <p>{note.text}</p>
              <Show when={note.hint}>{(hint) => <Hint hint={hint()} />}</Show>
            </div>
          </li>
        )}
      </For>
    </ul>
  );
}

/** A hint is a sentence; what stands in backquotes in it is code that can be copied. */
export function Hint(props: { hint: string }) {
  const pieces = () => (isCode(props.hint) ? ['', props.hint] : props.hint.split(/`([^`]+)`/g));
  return (
    <>
      <div class="note-hint">
        <For each={pieces()}>
          {(piece, index) => (index() % 2 === 1 ? <InlineCode code={piece} /> : <>{piece}</>)}
        </For>
      </div>
    </>
  );
}

function InlineCode(props: { code: string }) {
  return (
    <Show
      when={props.code.length > 90 || props.code.includes('\n')}
      fallback={<ShortCode code={props.code} />}
    >
      <CodeBlock code={props.code} />
    </Show>
  );
}

function ShortCode(props: { code: string }) {
  return (
    <>
      <code>{props.code}</code>
      <CopyButton class="quiet note-copy" text={() => props.code} tip="Copy">
        Copy
      </CopyButton>
    </>
  );
}

/** The whole hint is a line of code: it has the signs of one and does not end like a sentence. */
function isCode(hint: string): boolean {
  return (
    !hint.includes('`') &&
    /[(){}=]/.test(hint) &&
    /^[\w.-]+(\s|\(|=)/.test(hint) &&
    !/^[A-Z][a-z]|[.!?]$/.test(hint)
  );
}
