/** What is wrong with the text of a search, below its field. */
import type { JSX } from 'solid-js';

import './search-error.css';

export function SearchError(props: { id?: string; text: JSX.Element }) {
  return (
    <span class="search-error" id={props.id} role="status">
      {props.text}
    </span>
  );
}
