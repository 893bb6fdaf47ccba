/** What a query answered: its rows as a table or a chart, remarks, and downloads of all rows. */
import { createMemo, createSignal, For, onCleanup, Show } from 'solid-js';

import { formatCount, plural } from '../../format/numbers';
import { sentence } from '../../format/text';
import { getParam, navigate, setParams } from '../../shell/state';
import { hasIntervals } from '../../sql/intervals';
import { layOver } from '../../sql/lay';
import { timedRows, type SqlRow } from '../../sql/result';
import { timelineParams } from '../../timeline/link';
import { download } from '../../widgets/copy';
import { openMenu, type MenuEntry } from '../../widgets/menu/menu';
import { Hint } from '../../widgets/notes';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { showToast } from '../../widgets/toast';
import { isAbort, type WireError } from '../../wire/client';
import type { SqlReport } from '../../wire/generated/SqlReport';
import { ResultChart } from './chart';
import { columnsOf } from './columns';
import { fileOf, type Outcome, type Scope } from './run';

/** Remarks that are shown without a click. */
const FEW_REMARKS = 2;

const TYPES = { csv: 'text/csv', arrow: 'application/vnd.apache.arrow.stream' } as const;

export function Results(props: {
  outcome: Outcome;
  scope: Scope;
  session: string | null;
}) {
  return (
    <Show
      when={props.outcome.report}
      fallback={<Show when={props.outcome.error}>{(error) => <Failed error={error()} />}</Show>}
    >
      {(report) => (
        <Answered
          report={report()}
          outcome={props.outcome}
          scope={props.scope}
          session={props.session}
        />
      )}
    </Show>
  );
}

/** The first line says what is wrong; others list what would have been right. */
function Failed(props: { error: WireError }) {
  const lines = () => props.error.message.split('\n');
  return (
    <section class="sql-failed" role="alert">
      <p class="sql-failed-message">{sentence(lines()[0] ?? '')}</p>
      <Show when={lines().length > 1}>
        <p class="muted">{lines().slice(1).join('\n')}</p>
      </Show>
      <Show when={props.error.hint}>{(hint) => <Hint hint={hint()} />}</Show>
    </section>
  );
}

function Answered(props: {
  report: SqlReport;
  outcome: Outcome;
  scope: Scope;
  session: string | null;
}) {
  const table = urlTableState('');
  const columns = createMemo(() => columnsOf(props.report));
  const timed = createMemo(() => timedRows(props.report, props.session));
  /** The session that the first row with a time is of. */
  const laidSession = createMemo(() => {
    if (!hasIntervals(props.report)) return null;
    const first = props.report.rows.find((row) => timed()?.of(row));
    return (first && timed()?.of(first)?.session) ?? null;
  });
  const isChart = () => getParam('show') === 'chart';
  const openRow = (row: SqlRow) => {
    const found = timed()?.of(row);
    if (!found) return;
    const { session, startPs, durationPs, place, slice } = found;
    const params = timelineParams(startPs, durationPs, { place, slice });
    navigate({ session, view: 'timeline', params });
  };
  const menu = (row: SqlRow): MenuEntry[] =>
    timed()?.of(row) ? [{ title: 'Show in the timeline', run: () => openRow(row) }] : [];
  const tools = () => (
    <>
      <span class="segmented" role="group" aria-label="Show rows as">
        <button aria-pressed={!isChart()} onClick={() => setParams({ show: null }, false)}>
          Table
        </button>
        <button aria-pressed={isChart()} onClick={() => setParams({ show: 'chart' }, false)}>
          Chart
        </button>
      </span>
      <Show when={laidSession()}>
        {(session) => (
          <button
            class="quiet"
            data-tip="Show these rows as a separate track above those of the session"
            onClick={() => layOver(session(), props.outcome.query, props.scope === null)}
          >
            Lay over the timeline
          </button>
        )}
      </Show>
      <DownloadButton query={props.outcome.query} scope={props.scope} rows={props.report.row_count} />
    </>
  );
  return (
    <>
      <Remarks remarks={props.report.remarks} />
      <section class="card sql-rows" classList={{ 'is-main': !isChart() }}>
        <Show
          when={isChart()}
          fallback={
            <DataTable
              rows={props.report.rows}
              rowCount={props.report.row_count}
              columns={columns()}
              state={table}
              noun="row"
              fileName="stepscope-sql"
              isFilling
              {...(timed() ? { onRow: openRow } : {})}
              menu={menu}
              tools={tools()}
              empty="The query has no rows"
            />
          }
        >
          <div class="table-tools">
            {tools()}
            <span class="spacer" />
            <span class="table-count number">{countText(props.report)}</span>
          </div>
          <ResultChart
            report={props.report}
            onOpen={(row) => {
              const found = props.report.rows[row];
              if (found) openRow(found);
            }}
          />
        </Show>
      </section>
    </>
  );
}

function countText({ rows, row_count }: SqlReport): string {
  if (rows.length >= row_count) return plural(row_count, 'row');
  return `${formatCount(rows.length)} of ${formatCount(row_count)} rows`;
}

/** What the server says about the rows, such as why a session has none. */
function Remarks(props: { remarks: readonly string[] }) {
  return (
    <Show when={props.remarks.length > 0}>
      <details class="remarks sql-remarks" open={props.remarks.length <= FEW_REMARKS}>
        <summary>{plural(props.remarks.length, 'remark')}</summary>
        <ul>
          <For each={props.remarks}>{(remark) => <li>{remark}</li>}</For>
        </ul>
      </details>
    </Show>
  );
}

/** Saves all rows, also those that the page does not show: the query runs again. */
function DownloadButton(props: { query: string; scope: Scope; rows: number }) {
  const [controller, setController] = createSignal<AbortController | null>(null);
  onCleanup(() => controller()?.abort());
  const save = async (format: 'csv' | 'arrow') => {
    const own = new AbortController();
    setController(own);
    try {
      const file = await fileOf(props.scope, props.query, format, own.signal);
      download(`stepscope-sql.${format}`, TYPES[format], file);
    } catch (error) {
      if (!isAbort(error)) {
        const text = error instanceof Error ? error.message : String(error);
        showToast({ text: `Not saved: ${text}`, key: 'sql-file' });
      }
    } finally {
      setController(null);
    }
  };
  const open = (event: MouseEvent & { currentTarget: HTMLElement }) =>
    openMenu(event.currentTarget, [
      { title: `All ${plural(props.rows, 'row')} as CSV`, run: () => void save('csv') },
      { title: `All ${plural(props.rows, 'row')} as Arrow`, run: () => void save('arrow') },
    ]);
  return (
    <Show
      when={controller()}
      fallback={
        <button
          class="quiet"
          aria-haspopup="menu"
          data-tip="Save all rows, also those that are not shown"
          onClick={open}
        >
          Download all
        </button>
      }
    >
      {(running) => (
        <button class="quiet" onClick={() => running().abort()}>
          Saving … Cancel
        </button>
      )}
    </Show>
  );
}
