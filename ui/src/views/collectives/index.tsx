/** Communication: what it costs, what hides it, who waits for whom, and how values are sharded. */
import { createMemo, For, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { largest } from '../../format/largest';
import { format, formatDuration, formatRatio } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { hrefTo, navigate, select, selectionParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { createFirst, FirstOf } from '../../widgets/first';
import { Hint, Remarks, Warnings } from '../../widgets/notes';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { CollectivesReport } from '../../wire/generated/CollectivesReport';
import type { CollectiveDeviceRow } from '../../wire/generated/CollectiveDeviceRow';
import { createReport } from '../../wire/report';
import { bars, EXPOSED_COLOR, HIDDEN_COLOR } from './bars';
import { COLLECTIVES, timelineAt, type Placed } from './columns';
import { groupedBy, More } from './more';
import './collectives.css';

const COMPARE = compareTable('collectives.rows', (report: CollectivesReport) => report.rows);

export default function CollectivesView(props: ViewProps) {
  const report = createReport(
    'collectives',
    () => props.session,
    () => ({ ...selectionParams(), limit: 0, shardings: 2000, by: groupedBy() }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show
          when={data().rows.length > 0 || data().shardings.length > 0}
          fallback={<Nothing report={data()} />}
        >
          <Content report={data()} session={props.session} />
        </Show>
      )}
    </AnswerView>
  );
}

const open = (row: Placed) => navigate({ view: 'timeline', params: timelineAt(row) });

function Content(props: { report: CollectivesReport; session: string }) {
  const table = urlTableState('exposed_ps');
  const name = () => summaryOf(props.session)?.name ?? 'session';
  return (
    <div class="page is-filling">
      <Warnings notes={props.report.notes} />
      <Show when={props.report.devices.length > 0}>
        <DeviceBars report={props.report} />
      </Show>
      <Show when={props.report.rows.length > 0}>
        <section class="card is-main collectives-main">
          <DataTable
            rows={props.report.rows}
            rowCount={props.report.row_count}
            columns={COLLECTIVES}
            state={table}
            noun="collective"
            compare={COMPARE}
            fileName={`stepscope-${name()}-collectives`}
            isFilling
            onRow={(row) => open({ ...row, duration_ps: row.max_ps })}
            onPromoteQuery={(query) => select('match', query)}
            tools={<span class="muted">Click a row to open its longest occurrence in the timeline</span>}
          />
        </section>
      </Show>
      <More report={props.report} name={name()} />
      <Remarks notes={props.report.notes} />
    </div>
  );
}

/** Devices that are drawn at first. */
const AT_FIRST = 16;

/** Communication time of each device, exposed and hidden. */
function DeviceBars(props: { report: CollectivesReport }) {
  const all = createMemo(() => bars(props.report.devices));
  const shown = createFirst(all, AT_FIRST, (row) => row.exposed_ps);
  const mean = (of: (row: CollectiveDeviceRow) => number) =>
    all().reduce((sum, row) => sum + of(row), 0) / Math.max(1, all().length);
  const longest = () => largest(all(), (row) => row.total_ps);
  return (
    <section class="card">
      <header>
        <h2>Exposed communication</h2>
        <span class="muted number">
          {formatDuration(mean((row) => row.exposed_ps))} of{' '}
          {formatDuration(mean((row) => row.total_ps))} per device,{' '}
          {formatRatio(mean((row) => row.exposed_ratio ?? 0))} of device time
          <Show when={props.report.link_bandwidth !== null}>
            {' · '}
            <span data-tip={props.report.link_source}>
              link peak {format('bandwidth', props.report.link_bandwidth)}
            </span>
          </Show>
        </span>
        <span class="spacer" />
        <Legend
          entries={[
            { title: 'Exposed', color: EXPOSED_COLOR, figure: 'collectives.rows.exposed_ps' },
            { title: 'Hidden', color: HIDDEN_COLOR, figure: 'collectives.rows.hidden_ps' },
          ]}
        />
      </header>
      <div class="card-body collective-devices">
        <For each={shown.rows()}>
          {(row) => (
            <div class="collective-device">
              <span class="collective-device-name mono">{row.title}</span>
              <DividedBar
                total={longest()}
                isTall
                tip={`${formatDuration(row.exposed_ps)} exposed, ${formatDuration(row.hidden_ps)} hidden${
                  row.wait_ps === null ? '' : `, ${formatDuration(row.wait_ps)} waiting for others`
                }`}
                pieces={[
                  { title: 'Exposed', value: row.exposed_ps, color: EXPOSED_COLOR },
                  { title: 'Hidden', value: row.hidden_ps, color: HIDDEN_COLOR },
                ]}
              />
              <span class="number">{formatDuration(row.exposed_ps)}</span>
              <span class="number muted">{formatRatio(row.exposed_ratio)}</span>
            </div>
          )}
        </For>
        <FirstOf first={shown} noun="device" which="with the most exposed time" />
      </div>
    </section>
  );
}

function Nothing(props: { report: CollectivesReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState
      title="No communication in this profile"
      actions={<a href={hrefTo({ view: 'timeline' })}>Show what the devices did</a>}
    >
      {note()?.text ?? 'The selected devices ran no collectives.'}{' '}
      <Show when={note()?.hint}>{(hint) => <Hint hint={hint()} />}</Show>
      Collectives appear here when a program runs on several devices, with data or model parallelism.
    </EmptyState>
  );
}
