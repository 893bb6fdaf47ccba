/** What a table is given, and its columns as shown. */
import type { JSX } from 'solid-js';

import type { Change } from '../../compare/change';
import type { RowComparison } from '../../compare/pairing';
import type { MenuEntry } from '../menu/menu';
import type { Column } from './rows';
import type { ColumnScale } from './scales';
import type { Spread } from './spread';
import type { TableState } from './state';

export interface TableProps<Row> {
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
  /** Whether groups show their rows until they are closed; otherwise they start closed. */
  opensGroups?: boolean;
  onRow?: (row: Row) => void;
  /** Called with the rows that pass the filter. */
  onFiltered?: (rows: readonly Row[]) => void;
  isSelected?: (row: Row) => boolean;
  /** More controls next to the search field. */
  tools?: JSX.Element;
  /** Totals of all rows, shown in the foot: the tools keep to one line. */
  summary?: JSX.Element;
  /** What else the menu of a row offers. */
  menu?: (row: Row) => readonly MenuEntry[];
  /** Offers to use the search as the selection in all views. */
  onPromoteQuery?: (query: string) => void;
  /** How rows are compared with those of the baseline, if one is chosen. */
  compare?: RowComparison<Row> | undefined;
  /** Shown instead of rows when there are none. */
  empty?: JSX.Element;
}

/** A column as it is shown now. */
export interface Shown<Row> extends Column<Row> {
  scaling: ColumnScale;
  /** Whether the user chose its width. */
  isSized: boolean;
  /** The change from the baseline; null for columns that are not compared. */
  change: ((row: Row) => Change | null) | null;
  scaledBy: number;
  /** Where values are among those of the rows shown; null unless the user asked for it. */
  spread: Spread | null;
}
