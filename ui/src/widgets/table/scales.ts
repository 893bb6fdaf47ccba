/** Units of a table's columns: one for a column, or one per row where values differ too much. Pure. */
import { columnScale, isWide, ownScale, type Scale } from '../../format/numbers';
import type { Column } from './rows';

/** How the figures of a column are written. */
export interface ColumnScale {
  /** For the header, and for sizes; without a unit if each row has its own. */
  shared: Scale;
  /** Whether each row has its own unit. */
  isOwn: boolean;
  /** For the cell of a row. */
  of: <Row>(row: Row) => Scale;
}

const TEXT: Scale = { unit: '', size: 1, text: String };

/**
 * The scale of each column, by key. Columns that name the same scale share a unit, in the column or in
 * each row, so that they can be compared.
 */
export function scalesOf<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Map<string, ColumnScale> {
  const scales = new Map<string, ColumnScale>();
  const groups = new Map<string, ColumnScale>();
  for (const column of columns) {
    const { kind } = column;
    if (!kind) {
      scales.set(column.key, { shared: TEXT, isOwn: false, of: () => TEXT });
      continue;
    }
    const group = column.scale === undefined ? undefined : `${kind} ${column.scale}`;
    const known = group === undefined ? undefined : groups.get(group);
    if (known) {
      scales.set(column.key, known);
      continue;
    }
    const sharing = columns.filter(
      (other) =>
        other.key === column.key ||
        (column.scale !== undefined && other.scale === column.scale && other.kind === kind),
    );
    const made = scaleOf(column, sharing, rows);
    scales.set(column.key, made);
    if (group !== undefined) groups.set(group, made);
  }
  return scales;
}

/** Whether every column is written as before. */
export function areSame(
  one: ReadonlyMap<string, ColumnScale>,
  other: ReadonlyMap<string, ColumnScale>,
): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([key, { shared, isOwn }]) => {
    const same = other.get(key);
    return same?.shared === shared && same.isOwn === isOwn;
  });
}

function scaleOf<Row>(
  column: Column<Row>,
  sharing: readonly Column<Row>[],
  rows: readonly Row[],
): ColumnScale {
  const kind = column.kind ?? 'count';
  const valuesOf = (row: Row) => sharing.map((other) => numberOf(other.value(row)));
  const values = rows.flatMap(valuesOf);
  // Positions in time are compared with each other, so they keep one unit.
  const isPosition = sharing.some((other) => other.better === 'incomparable');
  if (isPosition || !isWide(kind, values)) {
    const shared = columnScale(kind, values);
    return { shared, isOwn: false, of: () => shared };
  }
  const shared = ownScale(kind, values);
  const of = (row: Row) => ownScale(kind, valuesOf(row));
  return { shared, isOwn: true, of: of as ColumnScale['of'] };
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
