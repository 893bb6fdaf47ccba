/** The columns of an answer, as columns of the table. */
import { Show } from 'solid-js';

import { entryView, summaryOf } from '../../shell/session';
import { hrefTo } from '../../shell/state';
import { Middle } from '../../widgets/middle';
import type { Column } from '../../widgets/table/rows';
import type { SqlReport } from '../../wire/generated/SqlReport';
import { isMoment, keysOf, kindOf, type SqlRow } from '../../sql/result';

const NUMBER_WIDTH = 112;
const LEAST_WIDTH = 90;
const MOST_WIDTH = 320;
/** Pixels of a character, and around a text. */
const CHARACTER = 7;
const AROUND = 20;
/** Rows that the width of a column is taken from. */
const MEASURED_ROWS = 200;
/** Longer texts are shortened in the middle. */
const LONG_TEXT = 24;

export function columnsOf(report: SqlReport): Column<SqlRow>[] {
  const keys = keysOf(report.columns);
  const sessions = new Map(report.sessions.map(({ name, key }) => [name, key]));
  return report.columns.map((column, index): Column<SqlRow> => {
    const kind = kindOf(column);
    const base = { key: keys[index] ?? column.key, title: column.key, value: valueAt(index) };
    if (kind) {
      const moment = isMoment(column) ? { better: 'incomparable' as const } : {};
      return { ...base, kind, width: NUMBER_WIDTH, ...moment };
    }
    const width = widthOf(report.rows, index);
    if (column.key === 'session') {
      return { ...base, width, cell: (row) => <SessionLink name={row[index]} sessions={sessions} /> };
    }
    const isLong = width > LONG_TEXT * CHARACTER + AROUND;
    return {
      ...base,
      width,
      ...(isLong ? { cell: (row) => <LongText value={row[index]} /> } : {}),
    };
  });
}

/** Flags are texts for filters and files. */
const valueAt = (index: number) => (row: SqlRow) => {
  const value = row[index] ?? null;
  return typeof value === 'boolean' ? String(value) : value;
};

function widthOf(rows: readonly SqlRow[], index: number): number {
  const longest = rows
    .slice(0, MEASURED_ROWS)
    .reduce((most, row) => Math.max(most, String(row[index] ?? '').length), 0);
  return Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, longest * CHARACTER + AROUND));
}

function LongText(props: { value: SqlRow[number] | undefined }) {
  return <Middle text={props.value == null || props.value === '' ? '–' : String(props.value)} />;
}

function SessionLink(props: { name: SqlRow[number] | undefined; sessions: Map<string, string> }) {
  const name = () => String(props.name ?? '–');
  return (
    <Show when={props.sessions.get(name())} fallback={<Middle text={name()} />}>
      {(key) => (
        <a
          class="sql-session"
          tabindex="-1"
          href={hrefTo({ session: key(), view: entryView(summaryOf(key())) })}
          onClick={(event) => event.stopPropagation()}
        >
          <Middle text={name()} />
        </a>
      )}
    </Show>
  );
}
