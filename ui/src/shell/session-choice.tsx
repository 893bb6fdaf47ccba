/** A list of sessions to choose one from, with a search field if there are many. */
import { createSignal, For, Show } from 'solid-js';

import { formatBytes, formatDate } from '../format/numbers';
import { parsePattern } from '../format/pattern';
import type { SessionSummary } from '../wire/types';

/** More sessions than this get a search field. */
export const MOST_UNSEARCHED = 8;

/** Whether the query matches the name, the devices or the location of a session. */
export function isCalled(session: SessionSummary, query: string): boolean {
  return parsePattern(query).test(`${session.name} ${session.devices} ${session.location}`);
}

/** The search field of a list of sessions; Enter takes the first. */
export function SessionSearch(props: {
  value: string;
  onInput: (query: string) => void;
  onEnter?: () => void;
}) {
  return (
    <input
      type="search"
      class="session-search"
      placeholder="Find a session"
      aria-label="Find a session"
      ref={(field) => setTimeout(() => field.focus())}
      value={props.value}
      onInput={(event) => props.onInput(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && props.onEnter?.()}
    />
  );
}

/** The name of a session, and what distinguishes it from others with the same name. */
export function SessionLabel(props: { session: SessionSummary }) {
  const details = () => [
    props.session.devices,
    formatBytes(props.session.size_bytes),
    formatDate(props.session.modified_epoch_ms),
  ];
  return (
    <>
      <span class="session-name">{props.session.name}</span>
      <span class="muted">{details().filter(Boolean).join(' · ')}</span>
    </>
  );
}

export function SessionChoice(props: {
  sessions: readonly SessionSummary[];
  chosen: string | null;
  onChoose: (key: string) => void;
}) {
  const [query, setQuery] = createSignal('');
  const found = () => props.sessions.filter((session) => isCalled(session, query()));
  const chooseFirst = () => {
    const [first] = found();
    if (first) props.onChoose(first.key);
  };
  return (
    <>
      <Show when={props.sessions.length > MOST_UNSEARCHED}>
        <SessionSearch value={query()} onInput={setQuery} onEnter={chooseFirst} />
      </Show>
      <ul class="baseline-list">
        <For each={found()} fallback={<li class="muted">No matching session</li>}>
          {(session) => (
            <li>
              <button
                class="quiet"
                aria-current={session.key === props.chosen ? 'true' : undefined}
                data-tip={session.location}
                onClick={() => props.onChoose(session.key)}
              >
                <SessionLabel session={session} />
              </button>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}
