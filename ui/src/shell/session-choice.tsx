/** A list of sessions to choose one from, with a search field if there are many. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { parsePattern } from '../format/pattern';
import type { SessionSummary } from '../wire/types';
import { sessions as known, summaryOf } from './session';
import { detailsOf, folderOf, groupedByLikeness } from './session-order';
import { route } from './state';

/** More sessions than this get a search field. */
export const MOST_UNSEARCHED = 8;

/** Whether the query matches the name, the program, the devices or the location of a session. */
export function isCalled(session: SessionSummary, query: string): boolean {
  return parsePattern(query).test(`${session.name} ${session.program} ${session.devices} ${session.location}`);
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
  const folder = () => folderOf(props.session, known.data()?.root ?? '');
  return (
    <>
      <span class="session-label">
        <Show when={folder()}>
          <span class="session-folder muted">{folder()}/</span>
        </Show>
        <span class="session-name">{props.session.name}</span>
      </span>
      <span class="muted">{detailsOf(props.session)}</span>
    </>
  );
}

/** The sessions to compare the shown one with: those most like it first. */
export function SessionChoice(props: {
  sessions: readonly SessionSummary[];
  chosen: string | null;
  onChoose: (key: string) => void;
}) {
  const [query, setQuery] = createSignal('');
  const groups = createMemo(() =>
    groupedByLikeness(
      props.sessions.filter((session) => isCalled(session, query())),
      summaryOf(route.session),
    ),
  );
  const chooseFirst = () => {
    const first = groups()[0]?.sessions[0];
    if (first) props.onChoose(first.key);
  };
  return (
    <>
      <Show when={props.sessions.length > MOST_UNSEARCHED}>
        <SessionSearch value={query()} onInput={setQuery} onEnter={chooseFirst} />
      </Show>
      <ul class="baseline-list">
        <For each={groups()} fallback={<li class="muted">No matching session</li>}>
          {(group) => (
            <>
              <Show when={groups().length > 1}>
                <li class="baseline-group muted">{group.title}</li>
              </Show>
              <For each={group.sessions}>
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
            </>
          )}
        </For>
      </ul>
    </>
  );
}
