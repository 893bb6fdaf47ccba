/**
 * The table of all views: virtualized rows, sticky header and first column, sorting, filtering,
 * CSV of what is shown, keyboard. Order and search live in the `TableState` given to it.
 */
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  on,
  onCleanup,
  onMount,
  Show,
  type JSX,
} from 'solid-js';

import { isComparable, type Change } from '../../compare/change';
import type { RowComparison } from '../../compare/pairing';
import { columnScale, formatCount, MISSING, plural, pluralOf, type Scale } from '../../format/numbers';
import { useAgainstError, useRowPairs } from '../against';
import { CellChange } from '../change';
import { download } from '../copy';
import { changeColumns, changeIn, exportColumns, ownColumns, scaleBy } from './changes';
import {
  changeKey,
  filterRows,
  hasValues,
  isAscending,
  isChangeKey,
  nextSort,
  nextSortWithChange,
  plainKey,
  sortRows,
  toCsv,
  type Column,
  type Sort,
} from './rows';
import type { TableState } from './state';
import './table.css';

const PLAIN_ROW_HEIGHT = 27;
/** With a second line for the change. */
const CHANGED_ROW_HEIGHT = 42;
/** The minimum width of a figure with its change. */
const CHANGED_WIDTH = 128;
const OVERSCAN = 8;
/** Height of search field and header. */
const AROUND_ROWS = 72;
const FOOT_HEIGHT = 29;
/** The minimum height that a filling table keeps in a small window. */
const LEAST_HEIGHT = 240;
/** Padding and gaps of a header cell, and its sort indicator. */
const AROUND_TITLE = 34;

interface TableProps<Row> {
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  state: TableState;
  /** How many rows are loaded, if `rows` are only some of them, such as the unfolded ones of a tree. */
  loadedCount?: number;
  /** How to introduce optional columns without values. */
  absent?: string;
  /** What a row is, for the count and the label: `op`. */
  noun: string;
  /** Rows before the server's limit, when that is more than `rows`. */
  rowCount?: number;
  /** File name of the CSV, without its extension. */
  fileName: string;
  /** Takes the remaining height and scrolls; otherwise the table is as high as its rows. */
  isFilling?: boolean;
  /** No search field, no CSV: a few rows inside a card. */
  isPlain?: boolean;
  /** Keeps the order of the rows given, for trees. */
  isOrdered?: boolean;
  /** The search field and the spacer are among the `tools`. */
  isBare?: boolean;
  onRow?: (row: Row) => void;
  isSelected?: (row: Row) => boolean;
  /** More controls next to the search field. */
  tools?: JSX.Element;
  /** Offers to use the search as the selection in all views. */
  onPromoteQuery?: (query: string) => void;
  /** How rows are compared with those of the baseline, if one is chosen. */
  compare?: RowComparison<Row> | undefined;
  /** Shown instead of rows when there are none. */
  empty?: JSX.Element;
}

interface Shown<Row> extends Column<Row> {
  shared: Scale;
  /** The change from the baseline; null for columns that are not compared. */
  change: ((row: Row) => Change | null) | null;
  scaledBy: number;
}

export function DataTable<Row>(props: TableProps<Row>) {
  let scroller!: HTMLDivElement;
  const [scrollTop, setScrollTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  const [active, setActive] = createSignal(-1);
  /** Whether there are columns beyond the right edge. */
  const [isCut, setCut] = createSignal(false);

  const pairs = useRowPairs(
    () => props.rows,
    () => props.compare,
  );
  const againstError = useAgainstError();
  const rowHeight = () => (pairs() ? CHANGED_ROW_HEIGHT : PLAIN_ROW_HEIGHT);
  /** A tree keeps its order; rows that only the baseline has are listed below it. */
  const all = createMemo(() => {
    const found = pairs();
    return found && !props.isOrdered ? [...props.rows, ...found.gone] : props.rows;
  });
  const rows = createMemo(() => {
    const found = pairs();
    const filtered = filterRows(all(), props.columns, props.state.query());
    if (props.isOrdered) return filtered;
    const sort = props.state.sort();
    if (!found) {
      return sortRows(filtered, props.columns, sort && { ...sort, key: plainKey(sort.key) });
    }
    const columns = ownColumns(found, props.columns);
    return sortRows(filtered, [...columns, ...changeColumns(found, props.columns)], sort);
  });
  const columns = createMemo<Shown<Row>[]>(() =>
    props.columns
      .filter(
        (column) => !column.isExportOnly && !(column.isOptional && !hasValues(props.rows, column)),
      )
      .map((column) => {
        const found = pairs();
        const hasChange = found !== null && isComparable(column);
        const shared = scaleOf(column, props.columns, all());
        const titled = column.head ? 0 : titleWidth(column.title, shared.unit) + AROUND_TITLE;
        return {
          ...column,
          width: Math.max(column.width, titled, hasChange ? CHANGED_WIDTH : 0),
          shared,
          change: hasChange ? (row: Row) => changeIn(found, row, column) : null,
          scaledBy: found ? scaleBy(found, column) : 1,
        };
      }),
  );
  const missing = createMemo(() =>
    props.columns.filter((column) => column.isOptional && !hasValues(props.rows, column)),
  );
  const template = createMemo(() => {
    const text = columns().findIndex((column) => column.kind === undefined);
    return columns()
      .map((column, index) =>
        index === Math.max(0, text) ? `minmax(${column.width}px, 1fr)` : `${column.width}px`,
      )
      .join(' ');
  });
  const width = createMemo(() => columns().reduce((sum, column) => sum + column.width, 0));
  const first = () =>
    props.isFilling ? Math.max(0, Math.floor(scrollTop() / rowHeight()) - OVERSCAN) : 0;
  const last = () =>
    props.isFilling
      ? Math.min(rows().length, Math.ceil((scrollTop() + height()) / rowHeight()) + OVERSCAN)
      : rows().length;
  const visible = createMemo(() => rows().slice(first(), last()));

  const lookRight = () =>
    setCut(scroller.scrollLeft + scroller.clientWidth < scroller.scrollWidth - 1);
  onMount(() => {
    const observer = new ResizeObserver(() => {
      setHeight(scroller.clientHeight);
      lookRight();
    });
    observer.observe(scroller);
    onCleanup(() => observer.disconnect());
  });
  createEffect(on(width, () => queueMicrotask(lookRight)));
  /** Reserves height in the card for the rows, up to a limit, so that it stays usable in a small window. */
  createEffect(() => {
    if (!props.isFilling) return;
    const foot = missing().length > 0 ? FOOT_HEIGHT : 0;
    const own = AROUND_ROWS + Math.max(1, rows().length) * rowHeight() + foot;
    const wanted = Math.min(LEAST_HEIGHT, own);
    scroller.closest<HTMLElement>('.is-main')?.style.setProperty('--least-height', `${wanted}px`);
  });
  createEffect(
    on([() => props.state.query(), () => props.state.sort()], () => setActive(-1), { defer: true }),
  );

  const sideOf = (row: Row) => {
    const found = pairs();
    if (found?.isGone(row)) return 'baseline only';
    return found?.fresh.has(row) ? 'new' : '';
  };
  const moveTo = (index: number) => {
    const target = Math.max(0, Math.min(rows().length - 1, index));
    setActive(target);
    const top = target * rowHeight();
    const room = scroller.clientHeight - rowHeight() * 2;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
  };
  const onKey = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height() / rowHeight()) - 2);
    const steps: Record<string, number> = {
      ArrowDown: active() + 1,
      ArrowUp: active() - 1,
      PageDown: active() + page,
      PageUp: active() - page,
      Home: 0,
      End: rows().length - 1,
    };
    const target = steps[event.key];
    const row = rows()[active()];
    if (target !== undefined && !event.ctrlKey && !event.metaKey) moveTo(target);
    else if (event.key === 'Enter' && row !== undefined) open(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** Rows that only the baseline has cannot be opened in this session. */
  const open = (row: Row) => {
    if (!pairs()?.isGone(row)) props.onRow?.(row);
  };
  const saveCsv = () => {
    const kept = props.columns.filter(
      (column) => column.isExportOnly || columns().some((other) => other.key === column.key),
    );
    const found = pairs();
    const text = toCsv(rows(), found ? exportColumns(found, kept) : kept);
    download(`${props.fileName}.csv`, 'text/csv', text);
  };

  return (
    <div
      class="table"
      classList={{
        'is-filling': props.isFilling ?? false,
        'is-plain': props.isPlain ?? false,
        'has-changes': pairs() !== null,
      }}
    >
      <Show when={!props.isPlain}>
        <div class="table-tools">
          <Show when={!props.isBare}>
            <input
              type="search"
              class="table-search"
              placeholder={`Filter ${pluralOf(props.noun)}: text or regular expression`}
              aria-label={`Filter ${pluralOf(props.noun)}`}
              data-shortcut="search"
              value={props.state.query()}
              onInput={(event) => props.state.setQuery(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Escape') {
                  props.state.setQuery('');
                  event.currentTarget.blur();
                }
              }}
            />
          </Show>
          <Show when={props.onPromoteQuery && props.state.query()}>
            <button
              class="quiet"
              data-tip="Apply this filter to every view, like --match on the command line"
              onClick={() => {
                const query = props.state.query();
                props.state.setQuery('');
                props.onPromoteQuery?.(query);
              }}
            >
              Use in all views
            </button>
          </Show>
          {props.tools}
          <Show when={pairs() && !props.isOrdered ? props.state.sort() : null}>
            {(sort) => <OrderSwitch sort={sort()} onSort={props.state.setSort} />}
          </Show>
          <Show when={!props.isBare}>
            <span class="spacer" />
          </Show>
          <span class="table-count number" aria-live="polite">
            {countText(
              rows().length,
              props.loadedCount ?? all().length,
              props.rowCount,
              props.noun,
            )}
          </span>
          <button class="quiet" data-tip="Save the rows shown, with raw values" onClick={saveCsv}>
            CSV
          </button>
        </div>
      </Show>
      <div class="table-frame" classList={{ 'is-cut': isCut() }}>
        <div
          ref={scroller}
          class="table-scroll"
          role="grid"
          aria-label={pluralOf(props.noun)}
          aria-rowcount={rows().length + 1}
          tabindex="0"
          onScroll={(event) => {
            setScrollTop(event.currentTarget.scrollTop);
            lookRight();
          }}
          onKeyDown={onKey}
        >
          <div class="table-body" style={{ '--columns': template(), 'min-width': `${width()}px` }}>
            <div class="table-row table-head" role="row">
              <For each={columns()}>
                {(column) => {
                  const sort = () => (props.isOrdered ? null : props.state.sort());
                  const order = () => {
                    const by = sort();
                    if (!by || plainKey(by.key) !== column.key) return undefined;
                    return isAscending(by, column) ? 'ascending' : 'descending';
                  };
                  return (
                    <button
                      class="table-cell"
                      classList={{
                        'is-number': column.kind !== undefined,
                        'is-sorted': order() !== undefined,
                      }}
                      role="columnheader"
                      aria-sort={order() ?? 'none'}
                      data-figure={column.figure}
                      disabled={props.isOrdered}
                      onClick={() => {
                        const next = column.change ? nextSortWithChange : nextSort;
                        props.state.setSort(next(props.state.sort(), column));
                      }}
                    >
                      <span class="table-title">{column.head?.() ?? column.title}</span>
                      <Show when={column.shared.unit}>
                        <span class="table-unit">{column.shared.unit}</span>
                      </Show>
                      <span class="table-order">
                        {order() && column.change && isChangeKey(sort()?.key ?? '') ? 'Δ' : ''}
                        {order() === 'ascending' ? '▲' : order() ? '▼' : ''}
                      </span>
                    </button>
                  );
                }}
              </For>
            </div>
            <Show when={props.isFilling}>
              <div style={{ height: `${first() * rowHeight()}px` }} />
            </Show>
            <For each={visible()}>
              {(row, index) => (
                <div
                  class="table-row"
                  classList={{
                    'is-active': active() === first() + index(),
                    'is-selected': props.isSelected?.(row) ?? false,
                    'is-clickable': props.onRow !== undefined && !pairs()?.isGone(row),
                    'is-gone': pairs()?.isGone(row) ?? false,
                  }}
                  role="row"
                  aria-rowindex={first() + index() + 2}
                  onClick={() => {
                    setActive(first() + index());
                    if (!window.getSelection()?.toString()) open(row);
                  }}
                >
                  <For each={columns()}>
                    {(column, position) => (
                      <TableCell
                        row={row}
                        column={column}
                        side={position() === 0 ? sideOf(row) : ''}
                        isGone={pairs()?.isGone(row) ?? false}
                      />
                    )}
                  </For>
                </div>
              )}
            </For>
            <Show when={props.isFilling}>
              <div style={{ height: `${(rows().length - last()) * rowHeight()}px` }} />
            </Show>
          </div>
          <Show when={rows().length === 0}>
            <div class="table-empty">
              {props.rows.length === 0
                ? (props.empty ?? `No ${pluralOf(props.noun)}`)
                : `No ${props.noun} matches “${props.state.query()}”`}
            </div>
          </Show>
        </div>
      </div>
      <Show when={props.compare && againstError()}>
        {(error) => (
          <p class="table-foot muted">
            No comparison: the baseline failed with “{error().message}”
          </p>
        )}
      </Show>
      <Show when={props.isOrdered && pairs()?.gone.length ? pairs()?.gone : undefined}>
        {(gone) => (
          <p class="table-foot muted">
            Only in the baseline: {plural(gone().length, props.noun)}
            {nameSome(gone(), props.columns[0])}
          </p>
        )}
      </Show>
      <Show when={!props.isPlain && props.rows.length > 0 && missing().length > 0}>
        <p class="table-foot muted">
          {props.absent ?? 'Not in this profile'}:{' '}
          {[...new Set(missing().map((column) => column.title))]
            .filter((title) => columns().every((column) => column.title !== title))
            .join(', ')}
        </p>
      </Show>
    </div>
  );
}

/** Switches between sorting by figures and by their changes. */
function OrderSwitch(props: { sort: Sort; onSort: (sort: Sort) => void }) {
  const isChange = () => isChangeKey(props.sort.key);
  const key = () => plainKey(props.sort.key);
  return (
    <span class="segmented" role="group" aria-label="Sort by">
      <button
        aria-pressed={!isChange()}
        data-tip="Largest figures first"
        onClick={() => props.onSort({ key: key(), isReversed: false })}
      >
        By value
      </button>
      <button
        aria-pressed={isChange()}
        data-tip="Largest increase from the baseline first; click the header to reverse"
        onClick={() => props.onSort({ key: changeKey(key()), isReversed: false })}
      >
        By change
      </button>
    </span>
  );
}

/** Lists the first few rows by name. */
function nameSome<Row>(rows: readonly Row[], column: Column<Row> | undefined): string {
  if (!column) return '';
  const names = rows.slice(0, 4).map((row) => String(column.value(row) ?? ''));
  return `: ${names.join(', ')}${rows.length > names.length ? ' …' : ''}`;
}

function TableCell<Row>(props: { row: Row; column: Shown<Row>; side: string; isGone: boolean }) {
  const content = () => {
    const column = props.column;
    if (props.isGone && column.kind) return <span class="table-missing">{MISSING}</span>;
    if (column.cell) return column.cell(props.row, column.shared);
    const value = column.value(props.row);
    if (value === null || value === '') return <span class="table-missing">{MISSING}</span>;
    return column.kind ? column.shared.text(Number(value)) : String(value);
  };
  const tip = () => {
    const value =
      props.column.kind || props.column.cell ? '' : String(props.column.value(props.row) ?? '');
    // A rough estimate, at seven pixels per character.
    return value.length * 7 > props.column.width - 16 ? value : undefined;
  };
  return (
    <div
      class="table-cell"
      classList={{ 'is-number': props.column.kind !== undefined }}
      role="gridcell"
      data-tip={tip()}
    >
      <Show
        when={props.column.change}
        fallback={
          <Show when={props.side} fallback={content()}>
            <span class="table-sided">
              <span>{content()}</span>
              <span class="table-side" classList={{ 'is-gone': props.isGone }}>
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
              scale={props.column.shared}
              scaledBy={props.column.scaledBy}
            />
          </>
        )}
      </Show>
    </div>
  );
}

let ruler: CanvasRenderingContext2D | null | undefined;

/** Pixels that the text of a header needs. */
function titleWidth(title: string, unit: string): number {
  ruler ??= document.createElement('canvas').getContext('2d');
  if (!ruler) return 0;
  const family = getComputedStyle(document.documentElement).fontFamily;
  ruler.font = `600 12px ${family}`;
  const titled = ruler.measureText(title).width;
  ruler.font = `12px ${family}`;
  return Math.ceil(titled + (unit ? ruler.measureText(unit).width : 0));
}

function scaleOf<Row>(
  column: Column<Row>,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Scale {
  if (!column.kind) return { unit: '', size: 1, text: String };
  const sharing = columns.filter(
    (other) =>
      other.key === column.key || (column.scale !== undefined && other.scale === column.scale),
  );
  const values = sharing.flatMap((other) => rows.map((row) => other.value(row)));
  return columnScale(
    column.kind,
    values.filter((value) => typeof value === 'number'),
  );
}

function countText(shown: number, loaded: number, total: number | undefined, noun: string): string {
  const all = Math.max(total ?? loaded, loaded);
  if (shown === all) return plural(all, noun);
  const part = `${formatCount(shown)} of ${formatCount(all)} ${pluralOf(noun)}`;
  return all > loaded ? `${part} (first ${formatCount(loaded)} loaded)` : part;
}
