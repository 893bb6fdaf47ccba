/** Small bars inside tables and cards. */
import { For } from 'solid-js';

import './bars.css';

/** One bar, 0..1 of its width. */
export function RatioBar(props: { ratio: number | null; color?: string }) {
  return (
    <span class="ratio-bar" aria-hidden="true">
      <span
        style={{
          width: `${100 * Math.max(0, Math.min(1, props.ratio ?? 0))}%`,
          background: props.color ?? 'var(--accent)',
        }}
      />
    </span>
  );
}

/** A share as a bar with its number. */
export function ShareCell(props: { ratio: number | null; text: string; color?: string }) {
  return (
    <span class="share">
      <RatioBar ratio={props.ratio} color={props.color ?? 'var(--class-compute)'} />
      <span class="share-number">{props.text}</span>
    </span>
  );
}

/** A piece of a divided bar. */
export interface Piece {
  title: string;
  value: number;
  color: string;
}

/** A bar divided into pieces; `total` is the value that the full width represents. */
export function DividedBar(props: {
  pieces: Piece[];
  total: number;
  tip?: string;
  isTall?: boolean;
}) {
  const share = (value: number) => (props.total > 0 ? (100 * value) / props.total : 0);
  return (
    <span class="divided-bar" classList={{ 'is-tall': props.isTall ?? false }} data-tip={props.tip}>
      <For each={props.pieces.filter((piece) => piece.value > 0)}>
        {(piece) => <span style={{ width: `${share(piece.value)}%`, background: piece.color }} />}
      </For>
    </span>
  );
}

/** Colors and their meaning. */
export function Legend(props: {
  entries: readonly { title: string; color: string; figure?: string; tip?: string }[];
}) {
  return (
    <ul class="legend">
      <For each={props.entries}>
        {(entry) => (
          <li data-figure={entry.figure} data-tip={entry.tip}>
            <span class="swatch" style={{ background: entry.color }} />
            {entry.title}
          </li>
        )}
      </For>
    </ul>
  );
}
