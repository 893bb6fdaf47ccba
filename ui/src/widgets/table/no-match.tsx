/** What a table says where no row matches its search, with a button that clears it. */
import { Show } from 'solid-js';

export function NoMatch(props: {
  noun: string;
  query: string;
  /** Why, if that is known. */
  hint?: string;
  onClear: () => void;
}) {
  return (
    <>
      <p>
        No {props.noun} matches “{props.query}”
      </p>
      <Show when={props.hint}>{(hint) => <p class="muted">{hint()}</p>}</Show>
      <button onClick={() => props.onClear()}>Clear the search</button>
    </>
  );
}
