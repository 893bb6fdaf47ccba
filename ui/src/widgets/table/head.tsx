/**
 * The header: a click sorts, a drag moves the column, the right edge widens it (a double click returns
 * to the usual width), and a right click opens its menu.
 */
import { createSignal, For, Show } from 'solid-js';

import { withMove, withWidth } from './arrangement';
import type { TableModel } from './model';
import type { Shown, TableProps } from './props';
import { isAscending, isChangeKey, nextSort, nextSortWithChange, plainKey } from './rows';

/** Pixels from which a press on a title is a drag. */
const LEAST_DRAG = 5;

export function TableHead<Row>(props: {
  table: TableProps<Row>;
  model: TableModel<Row>;
  /** Position of the current column if the header is the current line, otherwise -1. */
  active: number;
  idOf: (column: number) => string;
  /** The width while the edge is dragged. */
  onResize: (key: string, width: number | null) => void;
}) {
  let row!: HTMLDivElement;
  const [dragged, setDragged] = createSignal<{ key: string; before: string | null } | null>(null);
  const columns = () => props.model.columns();

  /** The column before which the dragged one would be put; empty for the end. */
  const targetAt = (x: number): string => {
    const cells = [...row.querySelectorAll('.table-cell')];
    const index = cells.findIndex((cell) => {
      const box = cell.getBoundingClientRect();
      return x < box.left + box.width / 2;
    });
    return columns()[index]?.key ?? '';
  };
  const sortBy = (column: Shown<Row>) => {
    if (props.table.isOrdered || column.isUnsorted) return;
    const next = column.change ? nextSortWithChange : nextSort;
    props.table.state.setSort(next(props.table.state.sort(), column));
  };
  /** Follows the pointer from a press on a title to its release. */
  const press = (start: PointerEvent, column: Shown<Row>) => {
    if (start.button !== 0) return;
    let isDrag = false;
    const move = (event: PointerEvent) => {
      isDrag ||= Math.abs(event.clientX - start.clientX) > LEAST_DRAG;
      if (isDrag) setDragged({ key: column.key, before: targetAt(event.clientX) });
    };
    const stop = () => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', drop);
      window.removeEventListener('pointercancel', stop);
      setDragged(null);
    };
    const drop = (event: PointerEvent) => {
      const before = isDrag ? targetAt(event.clientX) : null;
      stop();
      if (before === null) return;
      // The click that follows a drag does not sort.
      window.addEventListener('click', (click) => click.stopPropagation(), {
        capture: true,
        once: true,
      });
      if (before !== column.key) {
        props.model.arrange(withMove(props.model.arrangement(), column.key, before));
      }
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', drop);
    window.addEventListener('pointercancel', stop);
  };
  const resize = (start: PointerEvent, column: Shown<Row>) => {
    if (start.button !== 0) return;
    start.preventDefault();
    start.stopPropagation();
    const handle = start.currentTarget as HTMLElement;
    const from = handle.parentElement?.getBoundingClientRect().width ?? column.width;
    const widthAt = (event: PointerEvent) => Math.max(40, from + event.clientX - start.clientX);
    handle.setPointerCapture(start.pointerId);
    handle.onpointermove = (event) => props.onResize(column.key, widthAt(event));
    handle.onpointerup = (event) => {
      handle.onpointermove = handle.onpointerup = null;
      props.onResize(column.key, null);
      if (event.clientX === start.clientX) return;
      props.model.arrange(withWidth(props.model.arrangement(), column.key, widthAt(event)));
    };
  };
  return (
    <div ref={row} class="table-row table-head" role="row" aria-rowindex={1}>
      <For each={columns()}>
        {(column, index) => {
          const sort = () => (props.table.isOrdered ? null : props.table.state.sort());
          const order = () => {
            const by = sort();
            if (!by || plainKey(by.key) !== column.key) return undefined;
            return isAscending(by, column) ? 'ascending' : 'descending';
          };
          return (
            <div
              id={props.idOf(index())}
              class="table-cell"
              classList={{
                'is-number': column.kind !== undefined,
                'is-sorted': order() !== undefined,
                'is-sortable': !props.table.isOrdered && !column.isUnsorted,
                'is-current': props.active === index(),
                'is-dragged': dragged()?.key === column.key,
                'is-target': dragged()?.before === column.key,
              }}
              role="columnheader"
              aria-sort={order() ?? 'none'}
              data-figure={column.figure}
              onClick={() => sortBy(column)}
              onPointerDown={(event) => press(event, column)}
            >
              <span class="table-title">{column.head?.() ?? column.title}</span>
              <Show when={column.scaling.shared.unit}>
                <span class="table-unit">{column.scaling.shared.unit}</span>
              </Show>
              <span class="table-order">
                {order() && column.change && isChangeKey(sort()?.key ?? '') ? 'Δ' : ''}
                {order() === 'ascending' ? '▲' : order() ? '▼' : ''}
              </span>
              <span
                class="table-edge"
                aria-hidden="true"
                onPointerDown={(event) => resize(event, column)}
                onClick={(event) => event.stopPropagation()}
                onDblClick={() =>
                  props.model.arrange(withWidth(props.model.arrangement(), column.key, null))
                }
              />
            </div>
          );
        }}
      </For>
    </div>
  );
}
