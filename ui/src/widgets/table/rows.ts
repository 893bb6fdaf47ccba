/** Rows of a table: filtering, sorting, CSV. Pure, so that tests need no page. */
import type { JSX } from 'solid-js';

import { isComparable, type Adding, type Better } from '../../compare/change';
import type { Kind, Scale } from '../../format/numbers';
import { parseFilter, type FilterColumn } from './filter';

export type Value = string | number | boolean | null;

/** `fusion.9` before `fusion.10`. */
const COLLATOR = new Intl.Collator('en', { numeric: true });

/** One column. Figures are right-aligned and share one unit, shown in the header. */
export interface Column<Row> {
  /** Key on the wire, for sorting, and in the header of the CSV. */
  key: string;
  title: string;
  value: (row: Row) => Value;
  /** Whether its texts are names of functions; long ones of C++ are shortened in the cells. */
  isCode?: boolean;
  /** What a number measures; texts have none. */
  kind?: Kind;
  /** What rows are sorted by, the largest first, if not by the value. */
  order?: (row: Row) => number | null;
  /** Whether rows cannot be sorted by it. */
  isUnsorted?: boolean;
  /** Key in `figures.ts`. */
  figure?: string;
  /** Pixels. The first text column also takes the remaining width. */
  width: number;
  /** Columns with the same scale share a unit and its decimals, so that they are comparable. */
  scale?: string;
  /** What the header shows instead of the title. */
  head?: () => JSX.Element;
  /** What the cell shows instead of the value's text. */
  cell?: (row: Row, scale: Scale) => JSX.Element;
  /** The groups that a row is in when rows are grouped by the column; by default that of its value. */
  groupsOf?: (row: Row) => readonly string[];
  /** Whether the column is left out if no row has a value; the foot of the table then lists it. */
  isOptional?: boolean;
  /** Whether it is only in the CSV. */
  isExportOnly?: boolean;
  /** Whether less or more is better; by default neither. `incomparable` has no difference. */
  better?: Better | 'incomparable';
  /** Whether it adds up, and over what; by default it does not. */
  adds?: Adding;
}

/** Figures come largest first and texts from A; a leading `-` reverses, as on the command line. */
export interface Sort {
  key: string;
  isReversed: boolean;
}

/** Suffix of a column's key for sorting by its change from the baseline. */
const CHANGE = '.change';

export const changeKey = (key: string) => `${key}${CHANGE}`;
export const isChangeKey = (key: string) => key.endsWith(CHANGE);
export const plainKey = (key: string) => (isChangeKey(key) ? key.slice(0, -CHANGE.length) : key);

export function parseSort(text: string | undefined): Sort | null {
  if (!text) return null;
  const isReversed = text.startsWith('-');
  return { key: isReversed ? text.slice(1) : text, isReversed };
}

export function formatSort(sort: Sort): string {
  return sort.isReversed ? `-${sort.key}` : sort.key;
}

/** The order after a click on a header: the default order first, then reversed. */
export function nextSort<Row>(current: Sort | null, column: Column<Row>): Sort {
  return { key: column.key, isReversed: current?.key === column.key && !current.isReversed };
}

/** The same if changes are shown: after both orders of the figure come both orders of its change. */
export function nextSortWithChange<Row>(current: Sort | null, column: Column<Row>): Sort {
  if (!isComparable(column)) return nextSort(current, column);
  const change = changeKey(column.key);
  const isOfChange = current?.key === change;
  if (isOfChange) return { key: current.isReversed ? column.key : change, isReversed: !current.isReversed };
  const next = nextSort(current, column);
  return current?.key === column.key && current.isReversed
    ? { key: change, isReversed: false }
    : next;
}

/** Whether values increase from top to bottom. */
export function isAscending<Row>(sort: Sort, column: Column<Row>): boolean {
  const isText = column.kind === undefined && column.order === undefined;
  return isText !== sort.isReversed;
}

/** Sorted copy; equal rows keep their order, missing values come last either way. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | null,
): Row[] {
  const column = columns.find((candidate) => candidate.key === sort?.key);
  if (!column || !sort || column.isUnsorted) return [...rows];
  const sign = isAscending(sort, column) ? 1 : -1;
  return rows
    .map((row, index) => ({ row, index, value: (column.order ?? column.value)(row) }))
    .sort((one, other) => {
      const missing = Number(isMissing(one.value)) - Number(isMissing(other.value));
      return missing || sign * compare(one.value, other.value) || one.index - other.index;
    })
    .map(({ row }) => row);
}

/** The rows that a filter accepts; see `filter.ts` for its language. */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly FilterColumn<Row>[],
  query: string,
): Row[] {
  const { test } = parseFilter(query, columns);
  return test ? rows.filter(test) : [...rows];
}

/** The rows as CSV: raw values, with the keys of the wire as the header. */
export function toCsv<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const lines = [columns.map((column) => quote(column.key)).join(',')];
  for (const row of rows) {
    lines.push(columns.map((column) => quote(column.value(row))).join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** Rows of texts as a table in Markdown, numbers to the right. */
export function toMarkdown(
  columns: readonly { title: string; isNumber: boolean }[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const rule = `|${columns.map(({ isNumber }) => (isNumber ? '---:' : '---')).join('|')}|`;
  return `${[line(columns.map(({ title }) => title)), rule, ...rows.map(line)].join('\n')}\n`;
}

const escapeMarkdown = (text: string) => text.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ');

/** A value as text; empty if it is missing. */
export const valueText = (value: Value): string => (value === null ? '' : String(value));

/** Whether any row has a value in the column. */
export function hasValues<Row>(rows: readonly Row[], column: Column<Row>): boolean {
  return rows.some((row) => !isMissing(column.value(row)));
}

function isMissing(value: Value): boolean {
  return value === null || value === '' || (typeof value === 'number' && Number.isNaN(value));
}

function compare(one: Value, other: Value): number {
  if (typeof one === 'string' && typeof other === 'string') {
    return COLLATOR.compare(one, other);
  }
  return Number(one ?? 0) - Number(other ?? 0);
}

function quote(value: Value): string {
  const text = value === null ? '' : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
