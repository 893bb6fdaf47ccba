/** The rows of an answer as intervals of a session's timeline. Pure. */
import { format } from '../format/numbers';
import type { Interval } from '../timeline/laid-track';
import type { SqlReport } from '../wire/generated/SqlReport';
import type { SqlResultColumn } from '../wire/generated/SqlResultColumn';
import type { StatReport } from '../wire/generated/StatReport';
import { isMoment, kindOf, timedRows, type SqlRow } from './result';

/** The maximum number of rows that are laid over a timeline. */
export const MOST_INTERVALS = 100_000;

/** Columns that name a row, the first that the answer has. */
const NAMES = ['name', 'op', 'what', 'cause', 'category', 'scope', 'class'];
/** Columns of text that say where it is. */
const PLACES = ['session', 'host', 'device', 'track'];

export interface Intervals {
  all: Interval[];
  /** The cells of the row of an interval. */
  factsOf: (position: number) => StatReport[];
  /** Rows without times, or of other sessions. */
  leftOut: number;
}

/** Whether rows say when something began and how long it took. */
export function hasIntervals({ columns }: Pick<SqlReport, 'columns'>): boolean {
  const has = (name: string) => columns.some(({ key, unit }) => key === name && unit === 'ps');
  return has('start_ps') && (has('duration_ps') || has('end_ps'));
}

/** Null if rows are no intervals. */
export function intervalsOf(report: SqlReport, session: string): Intervals | null {
  const timed = hasIntervals(report) ? timedRows(report, session) : null;
  if (!timed) return null;
  const { columns } = report;
  const at = (key: string) => columns.findIndex((column) => column.key === key);
  const named = NAMES.map(at).find((index) => index >= 0);
  const isText = (column: SqlResultColumn) => kindOf(column) === undefined;
  const text = columns.findIndex((column) => isText(column) && !PLACES.includes(column.key));
  const [name, className] = [named ?? text, at('class')];
  const textAt = (row: SqlRow, index: number) => (index < 0 ? '' : String(row[index] ?? ''));
  const rows: SqlRow[] = [];
  const all = report.rows.flatMap((row): Interval[] => {
    const found = timed.of(row);
    if (found?.session !== session) return [];
    rows.push(row);
    const { startPs, durationPs } = found;
    const own = { name: textAt(row, name) || 'row', className: textAt(row, className) };
    return [{ startPs, durationPs, ...own }];
  });
  const factsOf = (position: number) =>
    columns.map((column, index) => {
      const value = rows[position]?.[index] ?? null;
      const kind = isMoment(column) ? undefined : kindOf(column);
      const isFigure = kind !== undefined && typeof value === 'number';
      const shown = value === null ? '' : isFigure ? format(kind, value) : String(value);
      return { name: column.key, value: shown, is_constant: false };
    });
  return { all, factsOf, leftOut: report.rows.length - all.length };
}

/** How the track of a query is called: by its first line, which may be a comment. */
export function nameOfQuery(query: string): string {
  const line = query.trim().split('\n')[0] ?? '';
  return line.replace(/^--\s*/, '').trim();
}
