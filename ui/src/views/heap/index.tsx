/** Memory snapshots: a flame graph of who holds what, tables of it, and the growth between two. */
import { For, Show, type JSX } from 'solid-js';

import { compareRows, type RowComparison } from '../../compare/pairing';
import { formatCount } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { getParam, selected, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { HeapFunctionRow } from '../../wire/generated/HeapFunctionRow';
import type { HeapGroup } from '../../wire/generated/HeapGroup';
import type { HeapReport } from '../../wire/generated/HeapReport';
import type { HeapStackRow } from '../../wire/generated/HeapStackRow';
import { createReport } from '../../wire/report';
import { functionColumns, groupColumns, SNAPSHOT_COLUMNS, stackColumns } from './columns';
import { Flame } from './flame';
import { measure, Pickers } from './pickers';
import './heap.css';

const LIMIT = 5000;

const TABS = ['stacks', 'functions', 'devices', 'kinds', 'snapshots'] as const;
type Tab = (typeof TABS)[number];


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
  /** What can be chosen, whatever is. */
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
  stacks: compareRows((report: HeapReport) => report.rows, {
    identity: (row: HeapStackRow) => `${row.kind} ${row.stack.join('/')}`,
  }),
  functions: compareRows((report: HeapReport) => report.functions, {
    identity: (row: HeapFunctionRow) => `${row.name} ${row.source}`,
  }),
  devices: compareRows((report: HeapReport) => report.devices, {
    identity: (row: HeapGroup) => row.name,
  }),
  kinds: compareRows((report: HeapReport) => report.kinds, {
    identity: (row: HeapGroup) => row.name,
  }),
};

function Tables(props: { report: HeapReport; session: string }) {
  const tab = (): Tab => TABS.find((name) => name === getParam('tab')) ?? 'stacks';
  const titles: Record<Tab, () => string> = {
    stacks: () => `Stacks ${formatCount(props.report.row_count)}`,
    functions: () => `Functions ${formatCount(props.report.function_count)}`,
    devices: () => 'By device',
    kinds: () => 'By kind',
    snapshots: () => `Snapshots ${formatCount(props.report.snapshots.length)}`,
  };
  const tabs = () =>
    TABS.filter((name) => name !== 'snapshots' || props.report.snapshots.length > 1);
  const usual = () => (props.report.against === null ? measure() : `change_${measure()}`);
  const table = <Row,>(
    rows: readonly Row[],
    rowCount: number,
    columns: Column<Row>[],
    noun: string,
    sort: string,
    compare?: RowComparison<Row>,
  ): JSX.Element => (
    <DataTable
      rows={rows}
      rowCount={rowCount}
      columns={columns}
      state={urlTableState(sort)}
      noun={noun}
      compare={compare}
      fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-heap-${tab()}`}
      isFilling
      tools={
        <span class="segmented">
          <For each={tabs()}>
            {(name) => (
              <button
                aria-pressed={tab() === name}
                onClick={() => setParams({ tab: name, sort: null, q: null }, false)}
              >
                {titles[name]()}
              </button>
            )}
          </For>
        </span>
      }
    />
  );
  const body = () => {
    const { report } = props;
    const total = usual() === measure() ? `total_${measure()}` : usual();
    const isCompared = report.against !== null;
    const { rows, functions, devices, kinds, snapshots } = report;
    switch (tab()) {
      case 'stacks':
        {
        const columns = stackColumns(isCompared);
        return table(rows, report.row_count, columns, 'stack', usual(), COMPARE.stacks);
      }
      case 'functions': {
        const columns = functionColumns(isCompared);
        const count = report.function_count;
        return table(functions, count, columns, 'function', total, COMPARE.functions);
      }
      case 'devices': {
        const columns = groupColumns('heap.devices', isCompared);
        return table(devices, devices.length, columns, 'device', '', COMPARE.devices);
      }
      case 'kinds':
        {
        const columns = groupColumns('heap.kinds', isCompared);
        return table(kinds, kinds.length, columns, 'kind', '', COMPARE.kinds);
      }
      case 'snapshots':
        return table(snapshots, snapshots.length, SNAPSHOT_COLUMNS, 'snapshot', '');
    }
  };
  return <section class="card is-main">{body()}</section>;
}

function NoSnapshot() {
  return (
    <EmptyState
      title="No memory snapshot beside this capture"
      code={
        '# in the run\'s folder, in the log directory, or in a folder of its own\njax.profiler.save_device_memory_profile("memory.prof")'
      }
    >
      A snapshot says which arrays are alive on the devices and which line of the program made them.
      Two of them, some steps apart, show what grows.
    </EmptyState>
  );
}

function NothingSelected() {
  return (
    <EmptyState title="Nothing of this selection was alive">
      Choose another device or kind, or clear the selection.
    </EmptyState>
  );
}
