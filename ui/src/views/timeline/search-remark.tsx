/** How a search was read, if not as it was typed; fetched when it is first needed. */
import { lazy, Show } from 'solid-js';

import type { Timeline } from '../../timeline/timeline';
import { Late } from '../../widgets/late';

const SearchNote = lazy(async () => ({ default: (await import('./later')).SearchNote }));

export function SearchRemark(props: { text: string; timeline?: Timeline }) {
  return (
    <Show when={props.text}>
      <Late>
        <SearchNote text={props.text} timeline={props.timeline} />
      </Late>
    </Show>
  );
}
