/** In place of a chart that would have a single bar or point: why, and what to do instead. */
import type { JSX } from 'solid-js';

import './one-only.css';

export function OneOnly(props: { text: JSX.Element; actions?: JSX.Element }) {
  return (
    <div class="one-only">
      <p>{props.text}</p>
      {props.actions}
    </div>
  );
}
