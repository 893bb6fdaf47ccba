/** A sentence of a report: views in backquotes get their title from the menu, the rest becomes code. */
import { For } from 'solid-js';

import { withUnits } from '../format/units';
import { titleOf } from '../shell/session';
import { VIEWS } from '../shell/views';

export function Prose(props: { text: string }) {
  return (
    <For each={props.text.split(/`([^`]+)`/g)}>
      {(piece, index) => {
        if (index() % 2 === 0) return withUnits(piece);
        return VIEWS.has(piece) ? titleOf(piece) : <code>{piece}</code>;
      }}
    </For>
  );
}
