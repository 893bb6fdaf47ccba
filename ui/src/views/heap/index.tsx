/** Memory snapshots: live memory as a flame graph and tables, and the growth between two snapshots. */
import { Show, type JSX } from 'solid-js';

import { compareTable } from '../../compare/identity';
import type { RowComparison } from '../../compare/pairing';
import { summaryOf } from '../../shell/session';
import { getParam, selected, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabbed, urlTab, type Tab } from '../../widgets/tabs/tabbed';
import type { HeapReport } from '../../wire/generated/HeapReport';
import { createReport } from '../../wire/report';
import { functionColumns, groupColumns, SNAPSHOT_COLUMNS, stackColumns } from './columns';
import { Flame } from './flame';
import { measure, Pickers } from './pickers';
import './heap.css';

const LIMIT = 5000;

export default function HeapView(props: ViewProps) {
  const report = createReport(
    'heap',
    () => props.session,
    () => ({
      device: selected('device') || null,
      match: selected('match') || null,
      kind: getParam('kind') ?? null,
      by: getParam('by') ?? null,
      snapshot: getParam('snapshot') ?? null,
      against: getParam('against') ?? null,
      internal: getParam('internal') ?? null,
      limit: LIMIT,
    }),
  );
  /** Everything that can be chosen, regardless of the selection. */
  const everything = createReport(
    'heap',
    () => props.session,
    () => ({ limit: 1 }),
  );

  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show when={data().snapshots.length > 0} fallback={<NoSnapshot />}>
          <div class="page is-filling heap">
            <Warnings notes={data().notes} />
            <Pickers report={data()} everything={everything.data() ?? data()} />
            <Show when={data().row_count > 0} fallback={<NothingSelected />}>
              <Flame report={data()} />
              <Tables report={data()} session={props.session} />
            </Show>
            <Remarks notes={data().notes} />
          </div>
        </Show>
      )}
    </AnswerView>
  );
}

const COMPARE = {
  stacks: compareTable('heap.rows', (report: HeapReport) => report.rows),
  functions: compareTable('heap.functions', (report: HeapReport) => report.functions),
  devices: compareTable('heap.devices', (report: HeapReport) => report.devices),
  kinds: compareTable('heap.kinds', (report: HeapReport) => report.kinds),
};

function Tables(props: { report: HeapReport; session: string }) {
  const usual = () => (props.report.against === null ? measure() : `change_${measure()}`);
  const total = () => (usual() === measure() ? `total_${measure()}` : usual());
  const isCompared = () => props.report.against !== null;
  const file = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}-heap`;
  const table = <Row extends object,>(
    name: string,
    rows: readonly Row[],
    rowCount: number,
    columns: Column<Row>[],
    noun: string,
    sort: string,
    tools: () => JSX.Element,
    compare?: RowComparison<Row>,
  ): JSX.Element => (
    <DataTable
      rows={rows}
      rowCount={rowCount}
      columns={columns}
      state={urlTableState(sort)}
      noun={noun}
      compare={compare}
      fileName={`${file()}-${name}`}
      isFilling
      tools={tools()}
    />
  );
  const tabs: Tab[] = [
    {
      name: 'stacks',
      title: 'Stacks',
      count: () => props.report.row_count,
      body: (tools) => {
        const { rows, row_count } = props.report;
        const columns = stackColumns(isCompared());
        return table('stacks', rows, row_count, columns, 'stack', usual(), tools, COMPARE.stacks);
      },
    },
    {
      name: 'functions',
      title: 'Functions',
      count: () => props.report.function_count,
      body: (tools) => {
        const { functions: rows, function_count: count } = props.report;
        const columns = functionColumns(isCompared());
        const compare = COMPARE.functions;
        return table('functions', rows, count, columns, 'function', total(), tools, compare);
      },
    },
    {
      name: 'devices',
      title: 'By device',
      body: (tools) => {
        const { devices: rows } = props.report;
        const columns = groupColumns('heap.devices', isCompared());
        return table('devices', rows, rows.length, columns, 'device', '', tools, COMPARE.devices);
      },
    },
    {
      name: 'kinds',
      title: 'By kind',
      body: (tools) => {
        const { kinds: rows } = props.report;
        const columns = groupColumns('heap.kinds', isCompared());
        return table('kinds', rows, rows.length, columns, 'kind', '', tools, COMPARE.kinds);
      },
    },
    {
      name: 'snapshots',
      title: 'Snapshots',
      count: () => props.report.snapshots.length,
      has: () => props.report.snapshots.length > 1,
      body: (tools) => {
        const { snapshots: rows } = props.report;
        return table('snapshots', rows, rows.length, SNAPSHOT_COLUMNS, 'snapshot', '', tools);
      },
    },
  ];
  return <Tabbed label="Table" state={urlTab()} tabs={tabs} />;
}

function NoSnapshot() {
  return (
    <EmptyState
      title="No memory snapshot with this capture"
      code={
        '# in the run directory, the log directory, or a separate folder\njax.profiler.save_device_memory_profile("memory.prof")'
      }
    >
      A snapshot shows which arrays are alive on the devices and which line of the program allocated
      them. Two snapshots, a few steps apart, show what grows.
    </EmptyState>
  );
}

function NothingSelected() {
  return (
    <EmptyState
      title="Nothing in this selection was alive"
      actions={
        <button
          onClick={() => setParams({ device: null, match: null, kind: null, zoom: null }, false)}
        >
          Clear the selection
        </button>
      }
    >
      No array of the snapshot is on the chosen device, of the chosen kind, and matches the selection
      above.
    </EmptyState>
  );
}
