/** Links from an op to its row, its neighborhood in the program, and its slices. */
import { Show } from 'solid-js';

import { escapeRegex } from '../format/text';
import { menu } from '../shell/session';
import { shared } from '../shell/shared';
import { hrefTo, navigate, select, type Params } from '../shell/state';
import type { MenuEntry } from './menu/menu';
import './op-links.css';

/** The same in the menu of a row, and as the selection in all views. */
export function opMenu(name: string, programId: string, isHere: 'ops' | 'elsewhere'): MenuEntry[] {
  const go = (view: string, params: Params) => () => navigate({ view, params });
  const pattern = `^${escapeRegex(name)}$`;
  const hasGraph = programId !== '' && menu().some((entry) => entry.name === 'graph');
  return [
    { title: 'Show in Timeline', run: go('timeline', { search: pattern }) },
    ...(isHere === 'ops'
      ? []
      : [
          {
            title: 'Show in Ops',
            run: go('ops', { op: [programId, name, ''].join('/'), q: name }),
          },
        ]),
    ...(hasGraph
      ? [{ title: 'Show in Graph', run: go('graph', { program: programId, op: name }) }]
      : []),
    ...(shared() ? [] : [{ title: 'Only this op in every view', run: () => select('match', pattern) }]),
  ];
}

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
