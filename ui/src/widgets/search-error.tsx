/** What is wrong with the text of a search, below its field. */
import './search-error.css';

export function SearchError(props: { id?: string; text: string }) {
  return (
    <span class="search-error" id={props.id} role="status">
      {props.text}
    </span>
  );
}
