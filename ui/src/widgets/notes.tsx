/** The notes of a report: warnings are always shown, the others can be folded. */
import { createSignal, For, Show } from 'solid-js';

import { titleOf } from '../shell/session';
import { shared } from '../shell/shared';
import { hrefTo, route } from '../shell/state';
import { VIEWS } from '../shell/views';
import type { Note } from '../wire/generated/Note';
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

/**
 * Fetched when the first hint is shown. Not a `lazy` component in a `Suspense`: while a view and its
 * reports load, that can stay empty.
 */
const [hintText, setHintText] = createSignal<typeof import('./hint').default>();
let isFetching = false;

function fetchHintText(): void {
  if (isFetching) return;
  isFetching = true;
  import('./hint').then(
    (found) => setHintText(() => found.default),
    () => (isFetching = false),
  );
}

/** Where a hint is shown: a saved report has the answers to one question per view. */
export const hintPage = () => ({
  view: shared() || route.session === null ? '' : route.view,
  isView: (name: string) => VIEWS.has(name),
  titleOf,
  hrefTo,
});

/** On the command line, hints follow a colon. Names of commands stay as they are typed. */
const asSentence = (hint: string) =>
  /^(?!stepscope|pip)[a-z]+ /.test(hint) ? hint.charAt(0).toUpperCase() + hint.slice(1) : hint;

/** A hint below what it is about. */
export function Hint(props: { hint: string }) {
  return (
    <div class="note-hint">
      <InlineHint text={asSentence(props.hint)} />
    </div>
  );
}

/** The same within a sentence. A server that has stopped leaves the text. */
export function InlineHint(props: { text: string }) {
  fetchHintText();
  return (
    <Show when={hintText()} fallback={<Prose text={props.text} />} keyed>
      {(HintText) => <HintText text={props.text} page={hintPage()} />}
    </Show>
  );
}
