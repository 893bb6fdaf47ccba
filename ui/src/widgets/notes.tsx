/** The notes of a report: warnings are always shown, the others can be folded. */
import { For, Match, Show, Switch } from 'solid-js';

import { hintPieces, isStatement, type HintPiece } from '../format/hint';
import { Icon } from '../shell/icons';
import { titleOf } from '../shell/session';
import { hrefTo } from '../shell/state';
import { VIEWS } from '../shell/views';
import type { Note } from '../wire/generated/Note';
import { CodeBlock, CopyButton } from './copy';
import { Prose } from './prose';
import './notes.css';

/** Warnings of a report, above its figures. */
export function Warnings(props: { notes: readonly Note[] }) {
  return (
    <Show when={props.notes.some((note) => note.kind === 'warning')}>
      <NotesList notes={props.notes.filter((note) => note.kind === 'warning')} />
    </Show>
  );
}

/** How the figures were obtained, below them; open if there are few. */
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
            <span class="note-mark" role="img" aria-label={note.kind}>
              {note.kind === 'warning' ? '!' : 'i'}
            </span>
            <div>
              <p>
                <Prose text={note.text} />
              </p>
              <Show when={note.hint}>{(hint) => <Hint hint={hint()} />}</Show>
            </div>
          </li>
        )}
      </For>
    </ul>
  );
}

/** A hint: statements in it can be copied, and names of views are links. */
export function Hint(props: { hint: string }) {
  return (
    <div class="note-hint">
      <For each={hintPieces(props.hint, (name) => VIEWS.has(name))}>
        {(piece) => <Piece piece={piece} />}
      </For>
    </div>
  );
}

function Piece(props: { piece: HintPiece }) {
  return (
    <Switch fallback={props.piece.text}>
      <Match when={props.piece.kind === 'view'}>
        <a href={hrefTo({ view: props.piece.text })}>{titleOf(props.piece.text)}</a>
      </Match>
      <Match when={props.piece.kind === 'option'}>
        <code>{props.piece.text}</code>
      </Match>
      <Match when={props.piece.kind === 'code'}>
        <InlineCode code={props.piece.text} />
      </Match>
    </Switch>
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
      <Show when={isStatement(props.code)}>
        <CopyButton class="quiet note-copy" text={() => props.code} name="Copy" tip="Copy">
          <Icon name="copy" />
        </CopyButton>
      </Show>
    </>
  );
}
