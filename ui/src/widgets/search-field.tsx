/** The field of all searches: text or a regular expression; what is wrong with it is shown below. */
import { createUniqueId, Show } from 'solid-js';

import { patternError } from '../format/pattern';
import { SearchError } from './search-error';
import './search-field.css';

export function SearchField(props: {
  /** The accessible name. */
  label: string;
  placeholder: string;
  value: string;
  onInput: (text: string) => void;
  /** What is wrong with the text; by default, why it is not a regular expression. */
  error?: string;
}) {
  const id = createUniqueId();
  const error = () => props.error ?? patternError(props.value);
  return (
    <span class="search-field" style={{ '--letters': props.placeholder.length }}>
      <input
        type="search"
        class="table-search"
        placeholder={props.placeholder}
        aria-label={props.label}
        aria-invalid={error() ? 'true' : undefined}
        aria-describedby={error() ? id : undefined}
        data-shortcut="search"
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          props.onInput('');
          event.currentTarget.blur();
        }}
      />
      <Show when={error()}>{(text) => <SearchError id={id} text={text()} />}</Show>
    </span>
  );
}
