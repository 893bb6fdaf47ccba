/** What the columns of an answer are: their kinds, and the places on a timeline that rows name. Pure. */
import type { Kind } from '../format/numbers';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import type { SqlReport } from '../wire/generated/SqlReport';
import type { SqlResultColumn } from '../wire/generated/SqlResultColumn';

export type SqlRow = SqlReport['rows'][number];

/** What a unit measures; texts and flags measure nothing. */
export const KINDS: Readonly<Record<string, Kind>> = {
  count: 'count',
  ps: 'duration',
  bytes: 'bytes',
  ratio: 'ratio',
  FLOP: 'flops',
  'FLOP/s': 'flop_rate',
  'bytes/s': 'bandwidth',
};

export const kindOf = (column: SqlResultColumn): Kind | undefined => KINDS[column.unit];

/** Whether a column of times has moments, which have no sum and are compared in one unit. */
export const isMoment = (column: SqlResultColumn): boolean =>
  column.unit === 'ps' && /^(start|end|time|from|until|at)_ps$|_(start|end|at)_ps$/.test(column.key);

/** Keys that are unique and that the address of the page can hold. */
export function keysOf(columns: readonly SqlResultColumn[]): string[] {
  const used = new Set<string>();
  return columns.map((column) => {
    const plain = column.key.replace(/\W+/g, '_').replace(/^_+|_+$/g, '') || 'column';
    let key = plain;
    for (let number = 2; used.has(key); number += 1) key = `${plain}_${number}`;
    used.add(key);
    return key;
  });
}

/** What a row says about a place on the timeline of its session. */
export interface TimedRow {
  /** Key of the session. */
  session: string;
  startPs: number;
  durationPs: number;
  /** Its device or host. */
  place: string;
  /** The slice that it is. */
  slice: SliceRefReport | null;
}

export interface Timed {
  /** Null for a row without a time or whose session is unknown. */
  of: (row: SqlRow) => TimedRow | null;
}

/** How rows name times; null if they do not. `session` is that of the page. */
export function timedRows(report: SqlReport, session: string | null): Timed | null {
  const at = (key: string) => report.columns.findIndex((column) => column.key === key);
  const start = report.columns.findIndex(({ key, unit }) => key === 'start_ps' && unit === 'ps');
  if (start < 0) return null;
  const [duration, end, owner] = [at('duration_ps'), at('end_ps'), at('session')];
  const places = [at('device'), at('host')].filter((index) => index >= 0);
  const address = [at('track_index'), at('lane'), at('index')] as const;
  const keys = new Map(report.sessions.map(({ name, key }) => [name, key]));
  const only = report.sessions.length === 1 ? (report.sessions[0]?.key ?? null) : null;
  const numberAt = (row: SqlRow, index: number) => {
    const value = index < 0 ? null : row[index];
    return typeof value === 'number' ? value : null;
  };
  return {
    of: (row) => {
      const startPs = numberAt(row, start);
      const own = owner < 0 ? (session ?? only) : keys.get(String(row[owner]));
      if (startPs === null || !own) return null;
      const endPs = numberAt(row, end);
      const durationPs =
        numberAt(row, duration) ?? (endPs === null ? 0 : Math.max(0, endPs - startPs));
      const place = places.map((index) => row[index]).find((value) => value);
      const [track, lane, index] = address.map((column) => numberAt(row, column));
      const isSlice = track != null && lane != null && index != null;
      return {
        session: own,
        startPs,
        durationPs,
        place: typeof place === 'string' ? place : '',
        slice: isSlice ? { track, lane, index } : null,
      };
    },
  };
}
