/** What figures do not cover: warnings in sight, the rest folded below. */
import { For, Show } from 'solid-js';

import type { Note } from '../wire/generated/Note';
import { CodeBlock } from './copy';
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
  const codes = () => [...props.hint.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
  const pieces = () => props.hint.split(/`([^`]+)`/g);
  return (
    <>
      <p class="note-hint">
        <For each={pieces()}>
          {(piece, index) => (index() % 2 === 1 ? <code>{piece}</code> : <>{piece}</>)}
        </For>
      </p>
      <For each={codes().filter((code) => code.length > 24)}>{(code) => <CodeBlock code={code} />}</For>
    </>
  );
}
