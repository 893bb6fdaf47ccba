/** Links from an op to its row, its neighborhood in the program, and its slices. */
import { Show } from 'solid-js';

import { escapeRegex } from '../format/text';
import { menu } from '../shell/session';
import { hrefTo, type Params } from '../shell/state';
import './op-links.css';

export function OpLinks(props: {
  name: string;
  programId: string;
  /** To link to another session, with its baseline. */
  session?: string;
  against?: string;
}) {
  const to = (view: string, params: Params) => {
    if (props.session === undefined) return hrefTo({ view, params });
    const against: Params = props.against === undefined ? {} : { baseline: props.against };
    return hrefTo({ session: props.session, view, params: { ...params, ...against } });
  };
  const hasGraph = () => props.programId && menu().some((entry) => entry.name === 'graph');
  return (
    <nav class="op-links" aria-label="Show in">
      <a
        class="button"
        href={to('ops', { op: [props.programId, props.name, ''].join('/'), q: props.name })}
      >
        Op
      </a>
      <Show when={hasGraph()}>
        <a
          class="button"
          href={to('graph', { program: props.programId, op: props.name })}
        >
          Graph
        </a>
      </Show>
      <a
        class="button"
        href={to('timeline', { search: `^${escapeRegex(props.name)}$` })}
      >
        Timeline
      </a>
    </nav>
  );
}
