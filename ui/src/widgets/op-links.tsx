/** Where an op leads: its row, its neighbourhood in the program, its slices. */
import { Show } from 'solid-js';

import { escapeRegex } from '../format/text';
import { menu } from '../shell/session';
import { hrefTo } from '../shell/state';
import './op-links.css';

export function OpLinks(props: { name: string; programId: string }) {
  const hasGraph = () => props.programId && menu().some((entry) => entry.name === 'graph');
  return (
    <nav class="op-links" aria-label="Elsewhere">
      <a
        class="button"
        href={hrefTo({
          view: 'ops',
          params: { op: [props.programId, props.name, ''].join('/'), q: props.name },
        })}
      >
        Op
      </a>
      <Show when={hasGraph()}>
        <a
          class="button"
          href={hrefTo({ view: 'graph', params: { program: props.programId, op: props.name } })}
        >
          Graph
        </a>
      </Show>
      <a
        class="button"
        href={hrefTo({ view: 'timeline', params: { search: `^${escapeRegex(props.name)}$` } })}
      >
        Timeline
      </a>
    </nav>
  );
}
