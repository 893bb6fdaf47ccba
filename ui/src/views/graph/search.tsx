/**
 * Finds instructions as one types. The field keeps the focus: arrow keys move through the list below
 * it, Enter opens the current instruction or the first one, Escape clears.
 */
import { createEffect, createSignal, createUniqueId, For, on, Show } from 'solid-js';

import { formatCount, formatDuration, plural } from '../../format/numbers';
import { getParam, selectionParams, setParams } from '../../shell/state';
import { SearchError } from '../../widgets/search-error';
import type { GraphMatch } from '../../wire/generated/GraphMatch';
import type { GraphReport } from '../../wire/generated/GraphReport';
import { createAnswer, reportUrl } from '../../wire/report';

/** Shorter texts are in almost every instruction. */
const LEAST_LENGTH = 2;
const MOST_MATCHES = 40;

export function Search(props: { session: string; onChoose: (name: string) => void }) {
  const id = createUniqueId();
  let list: HTMLUListElement | undefined;
  const [active, setActive] = createSignal(-1);
  const wanted = () => getParam('find') ?? '';
  const isWanted = () => wanted().length >= LEAST_LENGTH;
  const found = createAnswer<GraphReport>(() =>
    isWanted()
      ? reportUrl(props.session, 'graph', {
          ...selectionParams(),
          search: wanted(),
          limit: MOST_MATCHES,
        })
      : null,
  );
  /** The answer, unless the search failed: the list of before answers another one. */
  const answer = () => (isWanted() && !found.error() ? found.data() : undefined);
  const matches = (): readonly GraphMatch[] => answer()?.matches ?? [];
  createEffect(on(matches, () => setActive(-1)));
  const optionId = (index: number) => `${id}-${index}`;
  const move = (to: number) => {
    const count = matches().length;
    if (count === 0) return;
    setActive((to + count) % count);
    list?.children[active()]?.scrollIntoView({ block: 'nearest' });
  };
  const onKey = (event: KeyboardEvent) => {
    const match = matches()[Math.max(0, active())];
    // From the field, the first key upwards goes to the last one.
    if (event.key === 'ArrowDown') move(active() + 1);
    else if (event.key === 'ArrowUp') move(Math.max(active(), 0) - 1);
    else if (event.key === 'Enter' && match) props.onChoose(match.name);
    else if (event.key === 'Escape') setParams({ find: null }, true);
    else return;
    event.preventDefault();
  };
  return (
    <div class="graph-search">
      <input
        type="search"
        role="combobox"
        placeholder="Find: name, opcode, scope, file.py:12"
        aria-label="Find an instruction"
        aria-autocomplete="list"
        aria-expanded={matches().length > 0}
        aria-controls={id}
        aria-activedescendant={active() < 0 ? undefined : optionId(active())}
        aria-invalid={isWanted() && found.error() !== undefined}
        value={wanted()}
        onInput={(event) => setParams({ find: event.currentTarget.value }, true)}
        onKeyDown={onKey}
      />
      <Show when={isWanted() && found.error()}>
        {(error) => (
          <div class="graph-matches">
            <SearchError text={[error().message, error().hint].filter(Boolean).join(' ')} />
          </div>
        )}
      </Show>
      <Show when={answer()}>
        {(data) => (
          <div class="graph-matches">
            <ul ref={list} id={id} role="listbox" aria-label="Instructions found">
              <For each={data().matches}>
                {(match, index) => (
                  <MatchRow
                    id={optionId(index())}
                    match={match}
                    isActive={index() === active()}
                    onChoose={() => props.onChoose(match.name)}
                  />
                )}
              </For>
            </ul>
            <p class="muted graph-match-count" role="status">
              {data().match_count > data().matches.length
                ? `${formatCount(data().match_count)} found, ${data().matches.length} shown`
                : `${plural(data().match_count, 'instruction')} found`}
            </p>
          </div>
        )}
      </Show>
    </div>
  );
}

function MatchRow(props: { id: string; match: GraphMatch; isActive: boolean; onChoose: () => void }) {
  const match = () => props.match;
  return (
    <li
      id={props.id}
      role="option"
      class="graph-match"
      classList={{ 'is-active': props.isActive }}
      aria-selected={props.isActive}
      // The field keeps the focus.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => props.onChoose()}
    >
      <b class="mono">{match().name}</b>
      <span class="muted">
        {match().is_fused ? `in ${match().computation}` : match().opcode}
      </span>
      <span class="number">
        {match().self_ps === null ? '' : formatDuration(match().self_ps)}
      </span>
      <span class="graph-match-scope muted">{match().scope || match().source}</span>
    </li>
  );
}
