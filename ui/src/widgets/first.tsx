/** The first of many rows, how many there are, and a button that shows the rest. */
import { createMemo, createSignal, Show, type Accessor } from 'solid-js';

import { largestRows } from '../format/largest';
import { formatCount, plural } from '../format/numbers';
import './first.css';

export interface First<Row> {
  rows: Accessor<readonly Row[]>;
  count: Accessor<number>;
  most: number;
  isWhole: Accessor<boolean>;
  showAll: (isWhole: boolean) => void;
}

/** At most `most` rows until all are wanted: the first ones, or those with the largest figures. */
export function createFirst<Row>(
  all: Accessor<readonly Row[]>,
  most: number,
  of: (row: Row) => number = () => 0,
): First<Row> {
  const [isWhole, showAll] = createSignal(false);
  const rows = createMemo(() => (isWhole() ? all() : largestRows(all(), most, of)));
  return { rows, count: () => all().length, most, isWhole, showAll };
}

/** `16 of 64 devices`; nothing if all fit. */
export function FirstOf<Row>(props: {
  first: First<Row>;
  noun: string;
  /** Which ones come first: `least busy`. */
  which?: string;
}) {
  const text = () =>
    [formatCount(props.first.most), props.which, 'of', plural(props.first.count(), props.noun)]
      .filter(Boolean)
      .join(' ');
  return (
    <Show when={props.first.count() > props.first.most}>
      <p class="first-of muted">
        <Show when={!props.first.isWhole()} fallback={plural(props.first.count(), props.noun)}>
          {text()}
        </Show>
        <button class="quiet" onClick={() => props.first.showAll(!props.first.isWhole())}>
          {props.first.isWhole() ? 'Show fewer' : 'Show all'}
        </button>
      </p>
    </Show>
  );
}
