/** Every op of the selected devices and steps: time, work, bound. Clicking an op shows its details. */
import { createMemo, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { formatDuration, formatRatio, MISSING } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { getParam, select, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView, ClearSelection } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Middle } from '../../widgets/middle';
import { Remarks, Warnings } from '../../widgets/notes';
import * as op from '../../widgets/op-columns';
import { opMenu } from '../../widgets/op-links';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { OpRow } from '../../wire/generated/OpRow';
import type { OpsReport } from '../../wire/generated/OpsReport';
import { createReport } from '../../wire/report';
import { OpDetails } from './details';
import './ops.css';
import { declared } from '../../widgets/table/declared';

/** Rows requested; the count shows if there are more. */
const LIMIT = 5000;

const COLUMNS = declared<OpRow>('ops.rows', [
  { ...op.OP_NAME, width: 220 },
  op.OP_SELF,
  op.OP_SHARE,
  {
    key: 'total_ps',
    width: 92,
    scale: 'time',
    value: (row) => row.total_ps,
  },
  op.OP_COUNT,
  op.OP_CATEGORY,
  op.OP_FLOP_RATE,
  op.OP_BANDWIDTH,
  op.OP_BOUND,
  op.OP_ROOF,
  { key: 'device', width: 150, value: (row) => row.device, isOptional: true },
  op.OP_SOURCE,
  {
    key: 'scope',
    width: 300,
    value: (row) => row.scope,
    cell: (row) => <Middle text={row.scope || MISSING} isCode />,
    isCode: true,
    isOptional: true,
  },
  { key: 'program', width: 170, value: (row) => row.program, isOptional: true },
  { key: 'class', width: 0, value: (row) => row.class, isExportOnly: true },
  {
    key: 'flops',
    width: 0,
    value: (row) => row.flops,
    isExportOnly: true,
  },
  {
    key: 'bytes',
    width: 0,
    value: (row) => row.bytes,
    isExportOnly: true,
  },
]);

/** Pairs an op with the same op in the baseline, even if its name differs. */
const COMPARE = compareTable('ops.rows', (report: OpsReport) => report.rows);

/** Identifies an op in the URL. */
const identity = (row: OpRow) => [row.program_id, row.name, row.device].join('/');

export default function OpsView(props: ViewProps) {
  const isByDevice = () => getParam('by') === 'device';
  const report = createReport(
    'ops',
    () => props.session,
    () => ({ ...selectionParams(), limit: getParam('limit') ?? LIMIT, by: getParam('by') }),
  );
  const table = urlTableState('self_ps');

  return (
    <AnswerView answer={report}>
      {(data) => {
        const columns = createMemo(() =>
          isByDevice() ? COLUMNS : COLUMNS.filter((column) => column.key !== 'device'),
        );
        const shown = createMemo(() => data().rows.find((row) => identity(row) === getParam('op')));
        const show = (row: OpRow | undefined) =>
          setParams({ op: row && row !== shown() ? identity(row) : null }, false);
        return (
          <div class="page is-filling">
            <Show when={data().rows.length > 0} fallback={<NoOps />}>
              <Warnings notes={data().notes} />
              <div class="ops is-main">
                <section class="card ops-table">
                  <DataTable
                    rows={data().rows}
                    rowCount={data().row_count}
                    columns={columns()}
                    state={table}
                    noun="op"
                    compare={COMPARE}
                    fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-ops`}
                    isFilling
                    onRow={show}
                    isSelected={(row) => row === shown()}
                    menu={(row) => opMenu(row.name, row.program_id, 'ops')}
                    onPromoteQuery={(query) => select('match', query)}
                    tools={
                      <>
                        <span class="segmented">
                          <button
                            aria-pressed={!isByDevice()}
                            onClick={() => setParams({ by: null }, false)}
                          >
                            All devices
                          </button>
                          <button
                            aria-pressed={isByDevice()}
                            onClick={() => setParams({ by: 'device' }, false)}
                          >
                            By device
                          </button>
                        </span>
                        <span class="muted ops-total" data-figure="ops.attributed_ratio">
                          total self time {formatDuration(data().total_self_ps)}
                          <Show when={data().attributed_ratio !== null}>
                            , {formatRatio(data().attributed_ratio)} attributed
                          </Show>
                        </span>
                        <Show when={data().row_count > data().rows.length}>
                          <button class="quiet" onClick={() => setParams({ limit: '0' }, false)}>
                            Load all
                          </button>
                        </Show>
                      </>
                    }
                  />
                </section>
                <Show when={shown()}>
                  {(row) => <OpDetails session={props.session} op={row()} close={() => show(undefined)} />}
                </Show>
              </div>
            </Show>
            <Remarks notes={data().notes} />
          </div>
        );
      }}
    </AnswerView>
  );
}

function NoOps() {
  return (
    <EmptyState
      title="No ops in this selection"
      actions={<ClearSelection />}
      code={
        'jax.profiler.start_trace("/tmp/profile")\n# … a few steps, with jax.block_until_ready(…) at the end\njax.profiler.stop_trace()'
      }
    >
      The selection above matches no ops, or no device work was recorded: nothing ran while tracing,
      or the trace was stopped before the devices finished. Record while steps run, and wait for
      them before stopping.
    </EmptyState>
  );
}
