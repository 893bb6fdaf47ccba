/**
 * The state of a table, derived from what it is given: which rows and columns it shows, in which order,
 * and how they are written. Everything that a link should keep is in the address: order and filter in
 * the `TableState`, columns and grouping here, under the name of the report's table.
 */
import { createMemo, createSignal, type Accessor } from 'solid-js';

import { isComparable } from '../../compare/change';
import type { Pairs } from '../../compare/pairing';
import { isNarrow } from '../../shell/rail-state';
import { getParam, setParams } from '../../shell/state';
import { useRowPairs } from '../against';
import {
  arranged,
  formatArrangement,
  inOrder,
  parseArrangement,
  type Arrangement,
} from './arrangement';
import { changeColumns, changeIn, ownColumns, scaleBy } from './changes';
import { parseFilter, type Filter } from './filter';
import { fittedWidth } from './fit';
import { canGroup, linesOf, type Line } from './groups';
import { titleWidth } from './measure';
import type { Shown, TableProps } from './props';
import { hasValues, plainKey, sortRows, type Column } from './rows';
import { areSame, scalesOf, type ColumnScale } from './scales';
import { spreadOf } from './spread';

/** Padding and gaps of a header cell, and its sort indicator. */
const AROUND_TITLE = 34;
/** The minimum width of a figure with its change. */
const CHANGED_WIDTH = 128;
/** What a unit in the cell needs. */
const UNIT_WIDTH: Partial<Record<string, number>> = {
  duration: 24,
  bytes: 30,
  bandwidth: 40,
  flops: 48,
  flop_rate: 62,
};

export interface TableModel<Row> {
  pairs: Accessor<Pairs<Row> | null>;
  /** The rows that the view gave. */
  given: Accessor<readonly Row[]>;
  /** All rows, with those that only the baseline has. */
  all: Accessor<readonly Row[]>;
  /** The rows that pass the filter, sorted. */
  rows: Accessor<readonly Row[]>;
  /** What is shown from top to bottom: rows, or groups with the rows of open ones. */
  lines: Accessor<readonly Line<Row>[]>;
  /** Columns with values, in their order, hidden ones included. */
  available: Accessor<readonly Column<Row>[]>;
  columns: Accessor<readonly Shown<Row>[]>;
  /** Optional columns without values. */
  missing: Accessor<readonly Column<Row>[]>;
  scales: Accessor<ReadonlyMap<string, ColumnScale>>;
  /** The widths of the columns as a grid template, and their sum. */
  template: Accessor<string>;
  width: Accessor<number>;
  filter: Accessor<Filter<Row>>;
  arrangement: Accessor<Arrangement>;
  arrange: (next: Arrangement) => void;
  groupedBy: Accessor<Column<Row> | undefined>;
  groupBy: (key: string | null) => void;
  toggleGroup: (name: string) => void;
}

export function createTable<Row extends object>(props: TableProps<Row>): TableModel<Row> {
  // Views may compute what they pass; reading it through memos does so once.
  const given = createMemo(() => props.columns);
  const givenRows = createMemo(() => props.rows);
  const pairs = useRowPairs(
    givenRows,
    () => props.compare,
  );
  const place = createMemo(() => placeOf(given()));
  const arrangement = createMemo(() => parseArrangement(getParam(`cols${place()}`)));
  const arrange = (next: Arrangement) =>
    setParams({ [`cols${place()}`]: formatArrangement(next) }, false);

  /** A tree keeps its order; rows that only the baseline has are listed below it. */
  const all = createMemo(() => {
    const found = pairs();
    return found && !props.isOrdered ? [...givenRows(), ...found.gone] : givenRows();
  });
  // Figures that arrive one by one must not draw every cell anew.
  const scaled = createMemo(
    () => ({ columns: given(), scales: scalesOf(given(), all()) }),
    undefined,
    {
      equals: (one, other) => one.columns === other.columns && areSame(one.scales, other.scales),
    },
  );
  const scales = () => scaled().scales;
  const filter = createMemo(() =>
    parseFilter(
      props.state.query(),
      given().map((column) => {
        const scale = scales().get(column.key);
        const { key, title, value, kind } = column;
        return {
          key,
          title,
          value,
          ...(kind ? { kind } : {}),
          ...(scale && !scale.isOwn ? { size: scale.shared.size } : {}),
        };
      }),
    ),
  );
  const rows = createMemo((): readonly Row[] => {
    const found = pairs();
    const { test } = filter();
    const filtered = test ? all().filter(test) : all();
    if (props.isOrdered) return filtered;
    const sort = props.state.sort();
    if (!found) {
      return sortRows(filtered, given(), sort && { ...sort, key: plainKey(sort.key) });
    }
    const columns = ownColumns(found, given());
    return sortRows(filtered, [...columns, ...changeColumns(found, given())], sort);
  });

  const groupedBy = createMemo(() => {
    const key = props.isOrdered ? undefined : getParam(`group${place()}`);
    return given().find((column) => column.key === key && canGroup(column));
  });
  /** Groups that were opened; where groups start open, those that were closed. */
  const [toggled, setToggled] = createSignal<ReadonlySet<string>>(new Set());
  const isOpen = (name: string) => toggled().has(name) !== (props.opensGroups ?? false);
  const toggleGroup = (name: string) => {
    const next = new Set(toggled());
    if (!next.delete(name)) next.add(name);
    setToggled(next);
  };
  const groupBy = (key: string | null) => {
    setToggled(new Set<string>());
    setParams({ [`group${place()}`]: key }, false);
  };
  /** Rows keep their elements when the order changes. */
  const wrapped = new WeakMap<Row, Line<Row>>();
  const lineOf = (row: Row): Line<Row> => {
    const line = wrapped.get(row) ?? { row };
    wrapped.set(row, line);
    return line;
  };
  const lines = createMemo(() => {
    const sort = props.state.sort();
    const sorted = given().find((column) => column.key === plainKey(sort?.key ?? ''));
    return linesOf(rows(), groupedBy(), sorted, sort, isOpen, lineOf);
  });

  const isEmpty = (column: Column<Row>) => column.isOptional && !hasValues(givenRows(), column);
  const missing = createMemo(() => given().filter(isEmpty));
  const available = createMemo(() => {
    const without = new Set(missing());
    const usable = given().filter((column) => !column.isExportOnly && !without.has(column));
    return inOrder(usable, arrangement());
  });
  const spreadIn = (column: Column<Row>) =>
    spreadOf(rows().map((row) => Number(column.value(row) ?? Number.NaN)));
  const fitted = createMemo(
    () => new Map(given().map((column) => [column.key, fittedWidth(column, all())])),
  );
  const columns = createMemo(() =>
    arranged(available(), { ...arrangement(), moves: [] }).map((column, index): Shown<Row> => {
      const found = pairs();
      const hasChange = found !== null && isComparable(column);
      const scaling = scales().get(column.key) as ColumnScale;
      const chosen = arrangement().widths.get(column.key);
      const titled = column.head ? 0 : titleWidth(column.title, scaling.shared.unit) + AROUND_TITLE;
      const unit = scaling.isOwn ? (UNIT_WIDTH[column.kind ?? ''] ?? 0) : 0;
      const most = index === 0 && isNarrow() ? NARROW_FIRST_WIDTH : Infinity;
      // The first names the row, and takes what remains.
      const wanted = index === 0 ? column.width : (fitted().get(column.key) ?? column.width);
      const own = Math.min(wanted, most) + unit;
      return {
        ...column,
        width: chosen ?? Math.max(own, titled, hasChange ? CHANGED_WIDTH + unit : 0),
        isSized: chosen !== undefined,
        scaling,
        change: hasChange ? (row: Row) => changeIn(found, row, column) : null,
        scaledBy: found ? scaleBy(found, column) : 1,
        spread: arrangement().distributed.has(column.key) ? spreadIn(column) : null,
      };
    }),
  );
  const template = createMemo(() => templateOf(columns()));
  const width = createMemo(() => columns().reduce((sum, column) => sum + column.width, 0));
  return {
    pairs,
    given: givenRows,
    all,
    rows,
    lines,
    available,
    columns,
    missing,
    scales,
    template,
    width,
    filter,
    arrangement,
    arrange,
    groupedBy,
    groupBy,
    toggleGroup,
  };
}

/** Width of the first column in a narrow window, where it would leave no room for figures. */
const NARROW_FIRST_WIDTH = 170;
/** Columns of text that are narrower hold a word, such as a kind. */
const LEAST_NAME_WIDTH = 150;

/**
 * The first column of names takes the remaining width, or else the first of text; if its width was
 * chosen, nothing does.
 */
function templateOf<Row>(columns: readonly Shown<Row>[]): string {
  const isText = (column: Shown<Row>) => column.kind === undefined;
  const name = columns.findIndex((column) => isText(column) && column.width >= LEAST_NAME_WIDTH);
  const text = name >= 0 ? name : Math.max(0, columns.findIndex(isText));
  const tracks = columns.map(({ width, isSized }, index) =>
    index === text && !isSized ? `minmax(${width}px, 1fr)` : `${width}px`,
  );
  return columns[text]?.isSized ? [...tracks, 'minmax(0, 1fr)'].join(' ') : tracks.join(' ');
}

/** Distinguishes the tables of a view in the address: `.stages` for `input.stages`. */
function placeOf<Row>(columns: readonly Column<Row>[]): string {
  for (const { figure } of columns) {
    const [, table, column] = figure?.split('.') ?? [];
    if (table && column) return table === 'rows' ? '' : `.${table}`;
  }
  return '';
}
