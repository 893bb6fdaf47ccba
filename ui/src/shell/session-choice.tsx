/** A list of sessions of which one is chosen; searched where there are many. */
import { createSignal, For, Show } from 'solid-js';

import { formatBytes, formatDate } from '../format/numbers';
import { compilePattern } from '../widgets/table/rows';
import type { SessionSummary } from '../wire/types';

/** More sessions than this get a search field. */
const MOST_UNSEARCHED = 8;

export function SessionChoice(props: {
  sessions: readonly SessionSummary[];
  chosen: string | null;
  onChoose: (key: string) => void;
}) {
  const [query, setQuery] = createSignal('');
  const found = () => {
    const pattern = compilePattern(query());
    return props.sessions.filter((session) =>
      pattern.test(`${session.name} ${session.devices} ${session.location}`),
    );
  };
  return (
    <>
      <Show when={props.sessions.length > MOST_UNSEARCHED}>
        <input
          type="search"
          placeholder="Find a session"
          aria-label="Find a session"
          ref={(field) => setTimeout(() => field.focus())}
          value={query()}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            const [first] = found();
            if (event.key === 'Enter' && first) props.onChoose(first.key);
          }}
        />
      </Show>
      <ul class="baseline-list">
        <For each={found()} fallback={<li class="muted">No session by that name</li>}>
          {(session) => (
            <li>
              <button
                class="quiet"
                aria-current={session.key === props.chosen ? 'true' : undefined}
                data-tip={session.location}
                onClick={() => props.onChoose(session.key)}
              >
                <span class="session-name">{session.name}</span>
                <span class="muted">
                  {[
                    session.devices,
                    formatBytes(session.size_bytes),
                    formatDate(session.modified_epoch_ms),
                  ]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}
