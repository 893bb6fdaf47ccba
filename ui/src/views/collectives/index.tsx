/** Communication: what it costs, what hides it, and who waits for whom. */
import { createSignal, For, Show } from 'solid-js';

import { formatDuration, formatRatio } from '../../format/numbers';
import { CLASS_COLOURS } from '../../format/palette';
import { summaryOf } from '../../shell/session';
import { navigate, select, selectionParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { Hint, Remarks, Warnings } from '../../widgets/notes';
import { localTableState, urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { CollectivesReport } from '../../wire/generated/CollectivesReport';
import type { CollectiveDeviceRow } from '../../wire/generated/CollectiveDeviceRow';
import { createReport } from '../../wire/report';
import {
  COLLECTIVES,
  INSTANCES,
  RENDEZVOUS,
  STEPS,
  timelineAt,
  type Placed,
} from './columns';
import { bars, EXPOSED_COLOUR, HIDDEN_COLOUR } from './bars';
import './collectives.css';

type Tab = 'instances' | 'steps' | 'rendezvous';

export default function CollectivesView(props: ViewProps) {
  const report = createReport(
    'collectives',
    () => props.session,
    () => ({ ...selectionParams(), limit: 0 }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show
          when={data().rows.length > 0}
          fallback={<Nothing report={data()} />}
        >
          <Content report={data()} session={props.session} />
        </Show>
      )}
    </AnswerView>
  );
}

const open = (row: Placed) => navigate({ view: 'timeline', params: timelineAt(row) });

function Content(props: { report: CollectivesReport; session: number }) {
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
            fileName={`stepscope-${name()}-collectives`}
            isFilling
            onRow={(row) => open({ ...row, duration_ps: row.max_ps })}
            onPromoteQuery={(query) => select('match', query)}
            tools={<span class="muted">A row opens its longest occurrence in the timeline</span>}
          />
        </section>
      </Show>
      <More report={props.report} name={name()} />
      <Remarks notes={props.report.notes} />
    </div>
  );
}

/** Devices side by side: computing time is not drawn, only what communication took. */
function DeviceBars(props: { report: CollectivesReport }) {
  const shown = () => bars(props.report.devices);
  const mean = (of: (row: CollectiveDeviceRow) => number) =>
    shown().reduce((sum, row) => sum + of(row), 0) / Math.max(1, shown().length);
  const longest = () => Math.max(1, ...shown().map((row) => row.total_ps));
  return (
    <section class="card">
      <header>
        <h2>Exposed communication</h2>
        <span class="muted number">
          {formatDuration(mean((row) => row.exposed_ps))} of{' '}
          {formatDuration(mean((row) => row.total_ps))} per device,{' '}
          {formatRatio(mean((row) => row.exposed_ratio ?? 0))} of its time
          <Show when={props.report.link_bandwidth !== null}>
            {' · '}
            <span data-tip={props.report.link_source}>
              link peak {((props.report.link_bandwidth ?? 0) / 1e9).toFixed(0)} GB/s
            </span>
          </Show>
        </span>
        <span class="spacer" />
        <Legend
          entries={[
            { title: 'Exposed', colour: EXPOSED_COLOUR, figure: 'exposed_ps' },
            { title: 'Hidden', colour: HIDDEN_COLOUR, figure: 'hidden_ps' },
          ]}
        />
      </header>
      <div class="card-body collective-devices">
        <For each={shown()}>
          {(row) => (
            <div class="collective-device">
              <span class="collective-device-name mono">{row.title}</span>
              <DividedBar
                total={longest()}
                isTall
                tip={`${formatDuration(row.exposed_ps)} exposed, ${formatDuration(row.hidden_ps)} hidden${
                  row.wait_ps === null ? '' : `, ${formatDuration(row.wait_ps)} waiting for the last`
                }`}
                pieces={[
                  { title: 'Exposed', value: row.exposed_ps, colour: EXPOSED_COLOUR },
                  { title: 'Hidden', value: row.hidden_ps, colour: HIDDEN_COLOUR },
                ]}
              />
              <span class="number">{formatDuration(row.exposed_ps)}</span>
              <span class="number muted">{formatRatio(row.exposed_ratio)}</span>
            </div>
          )}
        </For>
      </div>
    </section>
  );
}

/** Tables that few need at once: one at a time. */
function More(props: { report: CollectivesReport; name: string }) {
  const tabs = () =>
    (
      [
        ['instances', 'Costliest occurrences', props.report.instance_count],
        ['steps', 'Steps', props.report.steps.length],
        ['rendezvous', 'Host and other slices', props.report.rendezvous.length],
      ] as [Tab, string, number][]
    ).filter(([, , count]) => count > 0);
  const [wanted, setWanted] = createSignal<Tab | null>(null);
  const tab = () => wanted() ?? tabs()[0]?.[0] ?? null;
  const instances = localTableState('duration_ps');
  const steps = localTableState('-step');
  const rendezvous = localTableState('total_stall_ps');
  return (
    <Show when={tabs().length > 0}>
      <section class="card collectives-more">
        <header>
          <div class="segmented">
            <For each={tabs()}>
              {([key, title, count]) => (
                <button aria-pressed={tab() === key} onClick={() => setWanted(key)}>
                  {title} <span class="muted">{count}</span>
                </button>
              )}
            </For>
          </div>
        </header>
        <Show when={tab() === 'instances'}>
          <DataTable
            rows={props.report.instances}
            rowCount={props.report.instance_count}
            columns={INSTANCES}
            state={instances}
            noun="occurrence"
            fileName={`stepscope-${props.name}-occurrences`}
            isFilling
            onRow={open}
          />
        </Show>
        <Show when={tab() === 'steps'}>
          <DataTable
            rows={props.report.steps}
            columns={STEPS}
            state={steps}
            noun="step"
            fileName={`stepscope-${props.name}-communication-steps`}
            isFilling
            onRow={(row) => select('steps', String(row.step))}
          />
        </Show>
        <Show when={tab() === 'rendezvous'}>
          <DataTable
            rows={props.report.rendezvous}
            columns={RENDEZVOUS}
            state={rendezvous}
            noun="rendezvous"
            fileName={`stepscope-${props.name}-rendezvous`}
            isFilling
            onRow={(row) => open({ ...row, duration_ps: row.observed_ps })}
          />
        </Show>
      </section>
    </Show>
  );
}

function Nothing(props: { report: CollectivesReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState title="No communication in this profile">
      {note()?.text ?? 'No op or kernel of the selected devices communicates.'}{' '}
      <Show when={note()?.hint}>{(hint) => <Hint hint={hint()} />}</Show>
      <span class="swatch" style={{ background: CLASS_COLOURS.collective }} /> Collectives appear
      here when a program runs on several devices: data or model parallel, over one host or many.
    </EmptyState>
  );
}
