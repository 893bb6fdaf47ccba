/** The hidden tracks as a list, from which one can be shown again, or all of a group, or all. */
import { createMemo, For, Show } from 'solid-js';

import { plural } from '../../format/numbers';
import { tracksOf } from '../../timeline/layout';
import type { Timeline } from '../../timeline/timeline';
import { chooseWithUndo } from './undo';

/** More are not listed at once; all of a group can still be shown. */
const MOST_LISTED = 300;

export function HiddenTracks(props: { timeline: Timeline; close: () => void }) {
  const hidden = () => props.timeline.choices[0]().hidden;
  const groups = createMemo(() => {
    let room = MOST_LISTED;
    return props.timeline.report.groups.flatMap((group) => {
      const all = tracksOf(group).filter(({ track }) => hidden().has(track));
      const listed = all.slice(0, Math.max(0, room));
      room -= listed.length;
      return all.length > 0 ? [{ name: group.name, all, listed }] : [];
    });
  });
  const show = (text: string, tracks: readonly number[]) => {
    const left = new Set([...hidden()].filter((track) => !tracks.includes(track)));
    chooseWithUndo(props.timeline, text, { hidden: left });
    if (left.size === 0) props.close();
  };
  return (
    <div class="hidden-tracks">
      <button onClick={() => show('All tracks shown', [...hidden()])}>
        Show all {plural(hidden().size, 'track')}
      </button>
      <For each={groups()}>
        {(group) => (
          <section>
            <h3>
              {group.name}{' '}
              <Show when={group.all.length > 1}>
                <button
                  class="quiet"
                  onClick={() =>
                    show(`Tracks of ${group.name} shown`, group.all.map(({ track }) => track))
                  }
                >
                  Show all {group.all.length}
                </button>
              </Show>
            </h3>
            <ul class="plain-list">
              <For each={group.listed}>
                {({ track, name }) => (
                  <li>
                    <button
                      class="quiet"
                      data-tip={`Show ${name} of ${group.name} again`}
                      onClick={() => show(`${name} shown`, [track])}
                    >
                      {name}
                    </button>
                  </li>
                )}
              </For>
            </ul>
            <Show when={group.listed.length < group.all.length}>
              <p class="muted">{group.all.length - group.listed.length} more</p>
            </Show>
          </section>
        )}
      </For>
    </div>
  );
}
