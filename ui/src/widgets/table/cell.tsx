/** Cells: of a row, with its change from the baseline, and of the heading of a group. */
import { createMemo, Show } from 'solid-js';

import { formatCount, MISSING } from '../../format/numbers';
import { Icon } from '../../shell/icons';
import { CellChange } from '../change';
import { totalOf, type Group } from './groups';
import type { Shown } from './props';
import type { Value } from './rows';
import { placeIn, type Spread } from './spread';

interface CellProps<Row> {
  row: Row;
  column: Shown<Row>;
  /** `new`, `gone`, or empty. */
  side: string;
  isGone: boolean;
  id: string;
  isActive: boolean;
}

export function TableCell<Row>(props: CellProps<Row>) {
  const scale = () => props.column.scaling.of(props.row);
  const content = () => {
    const column = props.column;
    if (props.isGone && column.kind) return <span class="table-missing">{MISSING}</span>;
    if (column.cell) {
      const drawn = column.cell(props.row, scale());
      return drawn === MISSING ? <span class="table-missing">{MISSING}</span> : drawn;
    }
    const value = column.value(props.row);
    if (value === null || value === '') return <span class="table-missing">{MISSING}</span>;
    return column.kind ? scale().text(Number(value)) : String(value);
  };
  const tip = () => {
    const value =
      props.column.kind || props.column.cell ? '' : String(props.column.value(props.row) ?? '');
    // A rough estimate, at seven pixels per character.
    return value.length * 7 > props.column.width - 16 ? value : undefined;
  };
  return (
    <div
      id={props.id}
      class="table-cell"
      classList={{ 'is-number': props.column.kind !== undefined, 'is-current': props.isActive }}
      role="gridcell"
      data-tip={tip()}
    >
      <Show when={props.isGone ? null : props.column.spread}>
        {(spread) => <Strip spread={spread()} value={props.column.value(props.row)} />}
      </Show>
      <Show
        when={props.column.change}
        fallback={
          <Show when={props.side} fallback={content()}>
            <span class="table-sided">
              <span>{content()}</span>
              <span
                class="table-side"
                classList={{ 'is-gone': props.isGone }}
                data-tip={props.isGone ? 'Only in the baseline' : 'Not in the baseline'}
              >
                {props.side}
              </span>
            </span>
          </Show>
        }
      >
        {(change) => (
          <>
            <div class="table-figure">{content()}</div>
            <CellChange
              change={change()(props.row)}
              kind={props.column.kind ?? 'count'}
              scale={scale()}
              scaledBy={props.column.scaledBy}
            />
          </>
        )}
      </Show>
    </div>
  );
}

/** Where the figure is among those of the column: the middle half, the median, and this one. */
function Strip(props: { spread: Spread; value: Value }) {
  const place = (value: number) => `${100 * placeIn(props.spread, value)}%`;
  return (
    <Show when={typeof props.value === 'number' ? props.value : null}>
      {(value) => (
        <span class="table-strip" aria-hidden="true">
          <span
            class="table-strip-box"
            style={{
              left: place(props.spread.lowerQuartile),
              right: `calc(100% - ${place(props.spread.upperQuartile)})`,
            }}
          />
          <span class="table-strip-median" style={{ left: place(props.spread.median) }} />
          <span class="table-strip-dot" style={{ left: place(value()) }} />
        </span>
      )}
    </Show>
  );
}

/** The first cell of a group has its name and size; others have sums where figures add up. */
export function GroupCell<Row>(props: {
  group: Group<Row>;
  column: Shown<Row>;
  isFirst: boolean;
  id: string;
  isActive: boolean;
}) {
  /** Sums may be much larger than the figures of rows, so each has its own unit if they do. */
  const text = createMemo(() => {
    const total = totalOf(props.column, props.group.rows);
    return total === null ? '' : props.column.scaling.of(total.largest).text(total.sum);
  });
  return (
    <div
      id={props.id}
      class="table-cell"
      classList={{ 'is-number': props.column.kind !== undefined, 'is-current': props.isActive }}
      role="gridcell"
    >
      <Show when={props.isFirst} fallback={text()}>
        <span class="table-group">
          <span class="table-fold" classList={{ 'is-open': props.group.isOpen }} aria-hidden="true">
            <Icon name="right" />
          </span>
          <span class="table-group-name">{props.group.name || MISSING}</span>
          <span class="muted number">{formatCount(props.group.rows.length)}</span>
        </span>
      </Show>
    </div>
  );
}
