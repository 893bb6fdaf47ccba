/** The matches of the search: by name with totals, and one by one in time order. */
import { createEffect, createMemo, createSignal, For, on, Show } from 'solid-js';

import { formatCount, formatDuration, plural } from '../../format/numbers';
import { classColor } from '../../format/palette';
import { escapeRegex } from '../../format/text';
import { shortText } from '../../timeline/clock';
import { byName } from '../../timeline/search-names';
import { PanelHint, type PanelProps } from './drawer';
import { searchExamples } from './search-examples';
import { ShortName } from './short-name';

const ROW_HEIGHT = 24;
const OVERSCAN = 6;

export function SearchPanel(props: PanelProps) {
  const state = () => props.timeline.search.state();
  return (
    <Show
      when={state().query}
      fallback={
        <>
          <PanelHint
            text="Search names, scopes, sources and HLO of all slices in the session, by text or regular expression."
            keys="/"
          />
          <Conditions {...props} />
        </>
      }
    >
      <Show
        when={state().matchCount > 0}
        fallback={
          <>
            <p class="panel-hint muted">
              {state().error || (state().isReady ? `No slice matches “${state().query}”.` : '…')}
            </p>
            <Show when={state().isReady}>
              <Conditions {...props} />
            </Show>
          </>
        }
      >
        <div class="search-panel">
          <Names {...props} />
          <Matches {...props} />
        </div>
      </Show>
    </Show>
  );
}

/** What a search can ask for besides a text, each with an example to click. */
function Conditions(props: PanelProps) {
  return (
    <dl class="search-conditions" aria-label="Conditions of a search">
      <For each={searchExamples(props.timeline)}>
        {({ query, meaning }) => (
          <>
            <dt>
              <button class="mono" onClick={() => props.timeline.setQuery(query)}>
                {query}
              </button>
            </dt>
            <dd class="muted">{meaning}</dd>
          </>
        )}
      </For>
    </dl>
  );
}

function Names(props: PanelProps) {
  const names = createMemo(() => byName(props.timeline.search.state().names));
  return (
    <section class="search-names">
      <h3>
        {plural(names().length, 'name')}
        <span class="muted"> · by total time</span>
      </h3>
      <ul>
        <For each={names()}>
          {(name) => (
            <li>
              <button
                class="search-row"
                onClick={() => props.timeline.setQuery(`^${escapeRegex(name.name)}$`)}
                data-tip={name.name}
              >
                <span class="swatch" style={{ background: classColor(name.class) }} />
                <ShortName timeline={props.timeline} name={name.name} />
                <span class="number muted">{formatCount(name.count)} ×</span>
                <span class="number">{formatDuration(name.total_ps)}</span>
              </button>
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}

/** A virtual list, because there may be many matches. */
function Matches(props: PanelProps) {
  let scroller!: HTMLDivElement;
  const state = () => props.timeline.search.state();
  const [scrollTop, setScrollTop] = createSignal(0);
  const first = () => Math.max(0, Math.floor(scrollTop() / ROW_HEIGHT) - OVERSCAN);
  const rows = createMemo(() => {
    const count = Math.ceil((scroller?.clientHeight ?? 400) / ROW_HEIGHT) + 2 * OVERSCAN;
    return state().slices.slice(first(), first() + count);
  });
  createEffect(
    on(
      () => state().current,
      (current) => {
        if (current < 0) return;
        const top = current * ROW_HEIGHT;
        const isVisible =
          top >= scroller.scrollTop &&
          top + ROW_HEIGHT <= scroller.scrollTop + scroller.clientHeight;
        if (!isVisible) scroller.scrollTop = top - scroller.clientHeight / 2;
      },
    ),
  );
  return (
    <section class="search-matches">
      <h3>
        In time order
        <Show when={state().slices.length < state().matchCount}>
          <span class="muted">
            {' '}
            · {formatCount(state().slices.length)} of {formatCount(state().matchCount)} listed,
            Enter continues
          </span>
        </Show>
      </h3>
      <div
        class="search-list"
        ref={scroller}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      >
        <div style={{ height: `${state().slices.length * ROW_HEIGHT}px` }}>
          <div style={{ transform: `translateY(${first() * ROW_HEIGHT}px)` }}>
            <For each={rows()}>
              {(match, index) => (
                <button
                  class="search-row"
                  classList={{ 'is-current': first() + index() === state().current }}
                  onClick={() =>
                    props.commands.showMatch(props.timeline.search.choose(first() + index()))
                  }
                >
                  <span class="number muted search-time">{shortText(props.timeline.times.clock[0](), match.start_ps, 1e6)}</span>
                  <span class="number search-duration">{formatDuration(match.duration_ps)}</span>
                  <ShortName timeline={props.timeline} name={match.name} />
                  <span class="muted search-track">{match.track_name}</span>
                </button>
              )}
            </For>
          </div>
        </div>
      </div>
    </section>
  );
}
