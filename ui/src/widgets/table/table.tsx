/**
 * The table of all views: virtualized rows, sticky header and first column, sorting, filtering,
 * grouping, columns to choose, move and widen, CSV and Markdown of what is shown, keyboard, menus.
 *
 * The grid has the focus as a whole and names its current cell: arrow keys, Page Up and Down, Home and
 * End move it, Enter opens the row or sorts by the column, Alt with arrows widens the column, Alt and
 * Shift with arrows move it, and the menu key opens the menu.
 */
import {
  createEffect,
  createMemo,
  createSignal,
  createUniqueId,
  For,
  mergeProps,
  on,
  onCleanup,
  onMount,
  Show,
  untrack,
} from 'solid-js';

import { formatCount, plural, pluralOf } from '../../format/numbers';
import { shortNames } from '../../format/short-name';
import { useAsked } from '../asked';
import { openMenu, type MenuEntry } from '../menu/menu';
import { ShortNames } from '../short-names';
import { withStep, withWidth } from './arrangement';
import { GroupCell, TableCell } from './cell';
import { ColumnStatistics } from './column-statistics';
import { TableFoot } from './foot';
import type { Line } from './groups';
import { TableHead } from './head';
import { headerMenu, rangeOf, rowMenu } from './menus';
import { createTable } from './model';
import { unknownField } from './filter';
import { NoMatch } from './no-match';
import { Panel } from './panel';
import { createPrinting, paperFit } from './printing';
import type { Shown, TableProps } from './props';
import { showSqlOf } from './show-sql';
import { TableTools } from './tools';
import './table.css';
import './panel.css';

const PLAIN_ROW_HEIGHT = 27;
/** With a second line for the change. */
const CHANGED_ROW_HEIGHT = 42;
const OVERSCAN = 8;
const HEADER_HEIGHT = 29;
/** Lines between the parts of a table. */
const BORDERS = 3;
/** The height that a filling table keeps for its header and rows in a small window. */
const LEAST_ROWS_HEIGHT = 170;
/** Rows that are printed at most. */
const MOST_PRINTED = 2000;
/** Pixels by which a key widens a column. */
const WIDTH_STEP = 16;
/** The line of the header. */
const HEADER = -1;

export function DataTable<Row extends object>(given: TableProps<Row>) {
  // Read once: with `state={localTableState('')}`, each access would create a new one.
  const props = mergeProps(given, { state: untrack(() => given.state) });
  let table!: HTMLDivElement;
  let scroller!: HTMLDivElement;
  const id = createUniqueId();
  const model = createTable(props);
  const { pairs, lines, columns, template, width } = model;
  const short = createMemo(() => {
    const coded = model.available().filter((column) => column.isCode);
    return shortNames(
      coded.flatMap((column) => model.all().map((row) => String(column.value(row) ?? ''))),
    );
  });
  const answer = useAsked();
  const showSql = () => showSqlOf(answer, props, model);
  const [scrollTop, setScrollTop] = createSignal(0);
  const [height, setHeight] = createSignal(600);
  /** The current cell; null until a key or a click sets it. */
  const [active, setActive] = createSignal<{ line: number; column: number } | null>(null);
  /** Whether there are columns beyond the edges. */
  const [isCut, setCut] = createSignal(false);
  const [isScrolled, setScrolled] = createSignal(false);
  const [resized, setResized] = createSignal<{ key: string; width: number } | null>(null);
  const [asked, setAsked] = createSignal<{ column: Shown<Row>; anchor: Element } | null>(null);

  createEffect(() => props.onFiltered?.(model.rows()));
  const rowHeight = () => (pairs() ? CHANGED_ROW_HEIGHT : PLAIN_ROW_HEIGHT);
  const isPrinting = createPrinting();
  /** Whether only the rows in sight are drawn, between two spacers. */
  const isWindowed = () => (props.isFilling ?? false) && !isPrinting();
  const first = () =>
    isWindowed() ? Math.max(0, Math.floor(scrollTop() / rowHeight()) - OVERSCAN) : 0;
  const last = () =>
    isWindowed()
      ? Math.min(lines().length, Math.ceil((scrollTop() + height()) / rowHeight()) + OVERSCAN)
      : Math.min(lines().length, isPrinting() ? MOST_PRINTED : Infinity);
  const visible = createMemo(() => lines().slice(first(), last()));
  /** While an edge is dragged, only the grid follows; the address follows at the end. */
  const tracks = createMemo(() => {
    // Columns share the width of the paper; texts may be cut, figures may not.
    if (isPrinting()) {
      return columns()
        .map(({ kind, width: own }) => `minmax(${kind ? own : own / 2}px, ${own}fr)`)
        .join(' ');
    }
    const draft = resized();
    if (!draft) return template();
    return columns()
      .map(({ key, width: own }) => `${key === draft.key ? draft.width : own}px`)
      .join(' ');
  });

  const lookAround = () => {
    setCut(scroller.scrollLeft + scroller.clientWidth < scroller.scrollWidth - 1);
    setScrolled(scroller.scrollLeft > 1);
  };
  /**
   * Reserves height in the card for the rows, up to a limit, so that it stays usable in a small window:
   * below the tools, which wrap in a narrow one, and above the foot.
   */
  const reserve = () => {
    const main = props.isFilling ? scroller.closest<HTMLElement>('.is-main') : null;
    if (!main) return;
    const above = scroller.getBoundingClientRect().top - main.getBoundingClientRect().top;
    const feet = [...table.querySelectorAll<HTMLElement>(':scope > .table-foot')];
    const foot = feet.reduce((sum, line) => sum + line.offsetHeight, 0);
    const own = HEADER_HEIGHT + Math.max(1, lines().length) * rowHeight() + BORDERS;
    const wanted = Math.ceil(above) + Math.min(LEAST_ROWS_HEIGHT, own) + foot;
    main.style.setProperty('--least-height', `${wanted}px`);
  };
  onMount(() => {
    const observer = new ResizeObserver(() => {
      setHeight(scroller.clientHeight);
      lookAround();
      reserve();
    });
    observer.observe(scroller);
    onCleanup(() => observer.disconnect());
  });
  createEffect(on(width, () => queueMicrotask(lookAround)));
  createEffect(on([lines, rowHeight, () => model.missing().length], reserve));
  /** Another order moves the rows away below the current cell; the header stays. */
  const forgetLine = () => setActive((at) => (at?.line === HEADER ? at : null));
  createEffect(
    on([() => props.state.query(), () => props.state.sort(), model.groupedBy], forgetLine, {
      defer: true,
    }),
  );

  const sideOf = (row: Row) => {
    const found = pairs();
    if (found?.isGone(row)) return 'gone';
    return found?.fresh.has(row) ? 'new' : '';
  };
  /** Rows that only the baseline has cannot be opened in this session. */
  const open = (line: Line<Row> | undefined) => {
    if (!line) return;
    if ('group' in line) model.toggleGroup(line.group.name);
    else if (!pairs()?.isGone(line.row)) props.onRow?.(line.row);
  };

  const moveTo = (line: number, column: number) => {
    const at = {
      line: Math.max(HEADER, Math.min(lines().length - 1, line)),
      column: Math.max(0, Math.min(columns().length - 1, column)),
    };
    setActive(at);
    const top = Math.max(0, at.line) * rowHeight();
    const room = scroller.clientHeight - rowHeight() * 2;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
    showColumn(at.column);
  };
  /** Scrolls sideways until a column is in sight, to the right of the sticky one. */
  const showColumn = (column: number) => {
    if (column === 0) return;
    const widths = columns().map((each) => each.width);
    const left = widths.slice(0, column).reduce((sum, each) => sum + each, 0);
    const right = left + (widths[column] ?? 0);
    const sticky = widths[0] ?? 0;
    if (left - sticky < scroller.scrollLeft) scroller.scrollLeft = left - sticky;
    else if (right > scroller.scrollLeft + scroller.clientWidth) {
      scroller.scrollLeft = right - scroller.clientWidth;
    }
  };
  const arrange = (event: KeyboardEvent, at: { column: number }) => {
    const column = columns()[at.column];
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (!column || by === 0) return false;
    const now = model.arrangement();
    if (event.shiftKey) {
      model.arrange(withStep(now, model.available(), column.key, by));
      moveTo(active()?.line ?? HEADER, at.column + by);
    } else {
      model.arrange(withWidth(now, column.key, column.width + by * WIDTH_STEP));
    }
    return true;
  };
  const onKey = (event: KeyboardEvent) => {
    const at = active() ?? { line: HEADER, column: 0 };
    const page = Math.max(1, Math.floor(height() / rowHeight()) - 2);
    const steps: Record<string, readonly [line: number, column: number]> = {
      ArrowDown: [at.line + 1, at.column],
      ArrowUp: [at.line - 1, at.column],
      ArrowRight: [at.line, at.column + 1],
      ArrowLeft: [at.line, at.column - 1],
      PageDown: [at.line + page, at.column],
      PageUp: [Math.max(0, at.line - page), at.column],
      Home: [0, at.column],
      End: [lines().length - 1, at.column],
    };
    const target = steps[event.key];
    const isPlain = !event.ctrlKey && !event.metaKey;
    if (event.altKey && isPlain && arrange(event, at)) event.preventDefault();
    else if (target && isPlain && !event.altKey) moveTo(...target);
    else if (event.key === 'F10' && event.shiftKey) openAt(at);
    else if (event.key === 'Enter' && active()) {
      if (at.line === HEADER) cellAt(at)?.click();
      else open(lines()[at.line]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const idOf = (line: number, column: number) => `${id}-${line}-${column}`;
  const cellAt = (at: { line: number; column: number }) =>
    scroller.querySelector<HTMLElement>(`#${CSS.escape(idOf(at.line, at.column))}`);
  /** The id of the current cell while it is drawn. */
  const activeId = () => {
    const at = active();
    if (!at || (at.line !== HEADER && (at.line < first() || at.line >= last()))) return undefined;
    return idOf(at.line, at.column);
  };
  const entriesAt = (line: number, column: number, anchor: Element): MenuEntry[] => {
    const own = columns()[column];
    if (line === HEADER) {
      const showStatistics = () => setAsked({ column: own as Shown<Row>, anchor });
      return own ? headerMenu(props, model, own, showStatistics, showSql()) : [];
    }
    const found = lines()[line];
    return found && 'row' in found ? rowMenu(props, model, found.row, own, showSql()) : [];
  };
  const openAt = (at: { line: number; column: number }) => {
    const cell = cellAt(at);
    if (cell) openMenu(cell, entriesAt(at.line, at.column, cell));
  };
  const onMenu = (event: MouseEvent) => {
    if (event.defaultPrevented || event.shiftKey) return;
    const isByKey = event.button !== 2;
    const target = event.target instanceof Element ? event.target : null;
    const current = active() ?? { line: HEADER, column: 0 };
    const cell = isByKey ? cellAt(current) : target?.closest('.table-cell');
    const row = cell?.parentElement;
    if (!cell || !row) return;
    const column = [...row.children].indexOf(cell);
    const line = row.classList.contains('table-head') ? HEADER : Number(row.dataset['line']);
    const entries = entriesAt(line, column, cell);
    if (entries.length === 0) return;
    event.preventDefault();
    setActive({ line, column });
    openMenu(isByKey ? cell : { x: event.clientX, y: event.clientY }, entries);
  };

  return (
    <div
      ref={table}
      class="table"
      classList={{
        'is-filling': props.isFilling ?? false,
        'is-plain': props.isPlain ?? false,
        'has-changes': pairs() !== null,
      }}
    >
      <Show when={!props.isPlain}>
        <TableTools table={props} model={model} showSql={showSql()} />
      </Show>
      <div
        class="table-frame"
        classList={{ 'is-cut': isCut(), 'is-scrolled': isScrolled() }}
      >
        <div
          ref={scroller}
          class="table-scroll"
          role="grid"
          aria-label={pluralOf(props.noun)}
          aria-rowcount={lines().length + 1}
          aria-colcount={columns().length}
          aria-activedescendant={activeId()}
          tabindex="0"
          onScroll={(event) => {
            setScrollTop(event.currentTarget.scrollTop);
            lookAround();
          }}
          onKeyDown={onKey}
          onContextMenu={onMenu}
        >
          <div
            class="table-body"
            style={{
              '--columns': tracks(),
              'min-width': `${width()}px`,
              zoom: isPrinting() ? paperFit(width()).zoom : undefined,
            }}
          >
            <TableHead
              table={props}
              model={model}
              active={active()?.line === HEADER ? (active()?.column ?? -1) : -1}
              idOf={(column) => idOf(HEADER, column)}
              onResize={(key, wide) => setResized(wide === null ? null : { key, width: wide })}
            />
            <Show when={isWindowed()}>
              <div style={{ height: `${first() * rowHeight()}px` }} />
            </Show>
            <ShortNames.Provider value={(name) => short().get(name)}>
              <For each={visible()}>
                {(line, index) => {
                  const at = () => first() + index();
                  const isCurrent = (column: number) =>
                    active()?.line === at() && active()?.column === column;
                  const row = 'row' in line ? line.row : null;
                  const isGone = () => row !== null && (pairs()?.isGone(row) ?? false);
                  return (
                    <div
                      class="table-row"
                      classList={{
                        'is-active': active()?.line === at(),
                        'is-selected': row !== null && (props.isSelected?.(row) ?? false),
                        'is-clickable': row === null || (props.onRow !== undefined && !isGone()),
                        'is-gone': isGone(),
                        'is-group': row === null,
                      }}
                      role="row"
                      data-line={at()}
                      aria-rowindex={at() + 2}
                      aria-expanded={'group' in line ? line.group.isOpen : undefined}
                      onClick={(event) => {
                        const cell = (event.target as Element).closest('.table-cell');
                        const children = [...event.currentTarget.children];
                        setActive({ line: at(), column: Math.max(0, children.indexOf(cell as Element)) });
                        if (!window.getSelection()?.toString()) open(line);
                      }}
                    >
                      <For each={columns()}>
                        {(column, position) =>
                          'group' in line ? (
                            <GroupCell
                              group={line.group}
                              column={column}
                              isFirst={position() === 0}
                              id={idOf(at(), position())}
                              isActive={isCurrent(position())}
                            />
                          ) : (
                            <TableCell
                              row={line.row}
                              column={column}
                              side={position() === 0 ? sideOf(line.row) : ''}
                              isGone={isGone()}
                              id={idOf(at(), position())}
                              isActive={isCurrent(position())}
                            />
                          )
                        }
                      </For>
                    </div>
                  );
                }}
              </For>
            </ShortNames.Provider>
            <Show when={isWindowed()}>
              <div style={{ height: `${(lines().length - last()) * rowHeight()}px` }} />
            </Show>
          </div>
          <Show when={isPrinting() && last() < lines().length}>
            <p class="table-foot muted">
              The first {formatCount(last())} of {plural(lines().length, props.noun)}; the CSV has
              all
            </p>
          </Show>
          <Show when={isPrinting() && paperFit(width()).isCut}>
            <p class="table-foot muted">
              The last columns do not fit on paper; the CSV has all. Columns can be hidden first.
            </p>
          </Show>
        </div>
        {/* Beside the grid, whose children are rows. */}
        <Show when={lines().length === 0}>
          <div class="table-empty">
            <Show
              when={model.given().length === 0}
              fallback={
                <NoMatch
                  noun={props.noun}
                  query={props.state.query()}
                  hint={unknownField(props.state.query(), model.columns())}
                  onClear={() => props.state.setQuery('')}
                />
              }
            >
              {props.empty ?? `No ${pluralOf(props.noun)}`}
            </Show>
          </div>
        </Show>
      </div>
      <TableFoot table={props} model={model} />
      <Show when={asked()} keyed>
        {({ column, anchor }) => (
          <Panel label={`Distribution of ${column.title}`} anchor={anchor} onClose={() => setAsked(null)}>
            <ColumnStatistics
              column={column}
              rows={model.rows()}
              onRange={(from, to) => {
                setAsked(null);
                props.state.setQuery(rangeOf(column, from, to));
              }}
            />
          </Panel>
        )}
      </Show>
    </div>
  );
}
