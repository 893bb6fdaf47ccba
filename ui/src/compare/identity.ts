/** Pairs the rows of a declared table with the baseline's, by the columns that identify a row. */
import { TABLES, type TableName } from '../wire/generated/tables';
import { compareRows, type RowComparison } from './pairing';

/** How a column identifies a row; see `Identity` in Rust, where the columns are declared. */
export type Identity = 'same' | 'unnumbered' | 'op' | 'step' | 'order';

/** The number at the end of a name: a line, a suffix of the compiler, the id of a program. */
const NUMBER = /([._:]\d+|\(\d+\))$/;

interface Details<Row> extends Pick<RowComparison<Row>, 'among' | 'evidence' | 'isExcerpt'> {
  /** The row of the report, if the table shows something derived from it. */
  of?: (row: Row) => object;
}

/** How the rows of a declared table are compared with those of the baseline. */
export function compareTable<Report, Row extends object>(
  table: TableName,
  rows: (report: Report) => readonly Row[],
  { of = (row) => row, ...details }: Details<Row> = {},
): RowComparison<Row> {
  const columns = Object.entries(TABLES[table]).flatMap(([key, { identity }]) =>
    identity ? [{ key, identity }] : [],
  );
  if (columns.length === 0) throw new Error(`no column of ${table} identifies a row`);
  const value = (row: Row, key: string): unknown => (of(row) as Record<string, unknown>)[key];
  const keyOf = (wanted: Identity) => columns.find(({ identity }) => identity === wanted)?.key;
  const [opKey, stepKey] = [keyOf('op'), keyOf('step')];
  return compareRows(rows, {
    ...details,
    ...(opKey !== undefined && {
      op: (row: Row) => {
        const program = textOf(value(row, 'program_id'));
        return program === '' ? null : ([program, textOf(value(row, opKey))] as const);
      },
    }),
    ...(stepKey !== undefined && { step: (row: Row) => value(row, stepKey) as number | null }),
    identity: (row) => {
      const parts = columns.map(({ key, identity }) => part(identity, value(row, key)));
      return parts.some((own) => own !== '') ? parts.join('/') : '';
    },
  });
}

/** What a column adds to the identity of a row; ops and steps are matched, not compared. */
function part(identity: Identity, value: unknown): string {
  switch (identity) {
    case 'same':
      return textOf(value);
    case 'unnumbered':
      return textOf(value).replace(NUMBER, '');
    case 'step':
    case 'order':
      return identity;
    case 'op':
      return '';
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join('/');
  return value === null || value === undefined ? '' : String(value);
}
