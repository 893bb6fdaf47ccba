/** How a search was read, if not as it was typed; fetched when it is first needed. */
import { lazy, Show } from 'solid-js';

import { Late } from '../../widgets/late';

const SearchError = lazy(async () => ({ default: (await import('./later')).SearchError }));

export function SearchRemark(props: { text: string }) {
  return (
    <Show when={props.text}>
      <Late>
        <SearchError text={props.text} />
      </Late>
    </Show>
  );
}
