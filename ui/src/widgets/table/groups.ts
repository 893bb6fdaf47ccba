/** Rows grouped by the value of a column, with sums where figures add up. Pure. */
import { addingOf } from '../../compare/change';
import { isAscending, valueText, type Column, type Sort } from './rows';

export interface Group<Row> {
  /** The value that its rows share, as text; empty where they have none. */
  name: string;
  rows: readonly Row[];
  isOpen: boolean;
}

/** A line of the table: a row, or the heading of a group. */
export type Line<Row> = { row: Row } | { group: Group<Row> };

/** Whether rows can be grouped by a column: by texts, and by numbers that only count, such as steps. */
export const canGroup = <Row>(column: Column<Row>): boolean =>
  !column.isExportOnly && (column.kind === undefined || column.better === 'incomparable');

/**
 * Groups in the order of the sort: by their sums or largest values, or by name. Their rows keep their
 * order, and rows without a value come last. A row of several groups is in each of them.
 */
export function linesOf<Row>(
  rows: readonly Row[],
  by: Column<Row> | undefined,
  sortedBy: Column<Row> | undefined,
  sort: Sort | null,
  isOpen: (name: string) => boolean,
  lineOf: (row: Row) => Line<Row> = (row) => ({ row }),
): Line<Row>[] {
  if (!by) return rows.map(lineOf);
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const several = by.groupsOf?.(row) ?? [];
    for (const name of several.length > 0 ? several : [valueText(by.value(row))]) {
      const own = groups.get(name);
      if (own) own.push(row);
      else groups.set(name, [row]);
    }
  }
  // Rows are sorted, so groups are in the order of their first rows: right for texts and for maxima.
  let names = [...groups.keys()];
  if (sort && sortedBy && isSummed(sortedBy)) {
    const sums = new Map(names.map((name) => [name, sumOf(sortedBy, groups.get(name) ?? []) ?? 0]));
    const sign = isAscending(sort, sortedBy) ? 1 : -1;
    names = names.sort((one, other) => sign * ((sums.get(one) ?? 0) - (sums.get(other) ?? 0)));
  }
  names = [...names.filter(Boolean), ...names.filter((name) => !name)];
  const shown = new Set<Row>();
  /** Lines are elements of the page: a row that is shown again needs another one. */
  const lineAgain = (row: Row): Line<Row> => {
    if (shown.has(row)) return { row };
    shown.add(row);
    return lineOf(row);
  };
  return names.flatMap((name): Line<Row>[] => {
    const own = groups.get(name) ?? [];
    const heading: Line<Row> = { group: { name, rows: own, isOpen: isOpen(name) } };
    return isOpen(name) ? [heading, ...own.map(lineAgain)] : [heading];
  });
}

/** Whether the figures of a column add up over rows. Shares of one total do, too. */
export function isSummed<Row>(column: Column<Row>): boolean {
  return addingOf(column) !== 'no' || (column.kind === 'ratio' && isShare(column));
}

/** Of self times; totals contain each other. */
const isShare = ({ key, title }: { key: string; title: string }) =>
  title === 'Share' || (key === 'self_ratio' && title === 'Of ops');

/** The sum over a group, and the row with the largest figure, whose unit it is written in. */
export interface Total<Row> {
  sum: number;
  largest: Row;
}

/** Reads each figure once; null without any, and for columns that do not add up. */
export function totalOf<Row>(column: Column<Row>, rows: readonly Row[]): Total<Row> | null {
  if (!isSummed(column)) return null;
  let sum = 0;
  let most = -Infinity;
  let largest: Row | undefined;
  for (const row of rows) {
    const value = column.value(row);
    if (typeof value !== 'number' || Number.isNaN(value)) continue;
    sum += value;
    if (largest !== undefined && value <= most) continue;
    most = value;
    largest = row;
  }
  return largest === undefined ? null : { sum, largest };
}

/** The sum over rows; null without any figure. */
export function sumOf<Row>(column: Column<Row>, rows: readonly Row[]): number | null {
  return totalOf(column, rows)?.sum ?? null;
}
