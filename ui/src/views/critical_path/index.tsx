/** The critical path: what steps waited for, in order, by kind, op and scope. */
import { For, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { meaningOf } from '../../format/causes';
import { formatDuration, formatRatio, MISSING, plural } from '../../format/numbers';
import { sentence } from '../../format/text';
import { WAIT_KINDS } from '../../format/waits';
import { summaryOf } from '../../shell/session';
import { getParam, hrefTo, navigate, selectionParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { timelineParams, type LinkTarget } from '../../timeline/link';
import { AnswerView } from '../../widgets/answer';
import { MeaningCell } from '../../widgets/bar-rows/bar-rows';
import { DividedBar } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { compareFigure, KpiCard } from '../../widgets/kpi';
import { Middle } from '../../widgets/middle';
import { Remarks, Warnings } from '../../widgets/notes';
import { SourceText } from '../../widgets/source-text';
import { declared, type Layout } from '../../widgets/table/declared';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabbed, urlTab } from '../../widgets/tabs/tabbed';
import type { CriticalPathReport } from '../../wire/generated/CriticalPathReport';
import type { PathOpRow } from '../../wire/generated/PathOpRow';
import type { PathRow } from '../../wire/generated/PathRow';
import type { PathScopeRow } from '../../wire/generated/PathScopeRow';
import type { PathStepRow } from '../../wire/generated/PathStepRow';
import type { WaitKind } from '../../wire/generated/WaitKind';
import { createReport } from '../../wire/report';
import './critical_path.css';

const COMPARE = {
  ops: compareTable('critical_path.ops', (report: CriticalPathReport) => report.ops),
  scopes: compareTable('critical_path.scopes', (report: CriticalPathReport) => report.scopes),
  steps: compareTable('critical_path.steps', (report: CriticalPathReport) => report.steps),
};

const kindCell = (kind: WaitKind) => <MeaningCell meaning={meaningOf(WAIT_KINDS, kind)} />;

/** What runs on a device has the name of an op or a kernel; everything else is described in words. */
const WORK: ReadonlySet<WaitKind> = new Set(['compute', 'collective', 'copy']);

const PATH = declared<PathRow>('critical_path.rows', [
  { key: 'offset_ps', width: 100, scale: 'time', value: (row) => row.offset_ps },
  { key: 'duration_ps', width: 100, scale: 'time', value: (row) => row.duration_ps },
  { key: 'ratio', width: 80, value: (row) => row.ratio },
  { key: 'kind', width: 110, value: (row) => row.kind, cell: (row) => kindCell(row.kind) },
  {
    key: 'what',
    width: 320,
    value: (row) => row.what,
    isCode: true,
    cell: (row) => <Middle text={row.what} isCode={WORK.has(row.kind)} />,
  },
  { key: 'count', width: 80, value: (row) => row.count },
  {
    key: 'place',
    width: 180,
    value: (row) => row.place || null,
    cell: (row) => <Middle text={row.place || '–'} />,
  },
]);

const OPS = declared<PathOpRow>('critical_path.ops', [
  {
    key: 'name',
    width: 240,
    value: (row) => row.name,
    isCode: true,
    cell: (row) => <Middle text={row.name} isCode />,
  },
  { key: 'kind', width: 110, value: (row) => row.kind, cell: (row) => kindCell(row.kind) },
  { key: 'mean_ps', width: 100, scale: 'time', value: (row) => row.mean_ps },
  { key: 'ratio', width: 80, value: (row) => row.ratio },
  { key: 'min_slack_ps', width: 100, scale: 'time', value: (row) => row.min_slack_ps },
  {
    key: 'mean_slack_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.mean_slack_ps,
    isOptional: true,
  },
  { key: 'occurrences', width: 80, value: (row) => row.occurrences },
  { key: 'program', width: 120, value: (row) => row.program, isOptional: true },
  {
    key: 'scope',
    width: 260,
    value: (row) => row.scope || null,
    cell: (row) => <Middle text={row.scope || MISSING} isCode />,
    isCode: true,
  },
  {
    key: 'source',
    width: 160,
    value: (row) => row.source || null,
    cell: (row) => <SourceText text={row.source} />,
    isOptional: true,
  },
]);

const SCOPES = declared<PathScopeRow>('critical_path.scopes', [
  {
    key: 'scope',
    width: 420,
    value: (row) => row.scope,
    cell: (row) => <Middle text={row.scope} isCode />,
    isCode: true,
  },
  { key: 'mean_ps', width: 110, scale: 'time', value: (row) => row.mean_ps },
  { key: 'ratio', width: 90, value: (row) => row.ratio },
]);

const PATH_PARTS = [
  'compute_ps',
  'collective_ps',
  'copy_ps',
  'host_ps',
  'launch_ps',
  'idle_ps',
] as const;

const STEPS = declared<PathStepRow>('critical_path.steps', [
  { key: 'step', width: 70, value: (row) => row.step },
  { key: 'device', width: 110, value: (row) => row.device },
  { key: 'duration_ps', width: 100, scale: 'time', value: (row) => row.duration_ps },
  { key: 'replayed_ps', width: 100, scale: 'time', value: (row) => row.replayed_ps },
  ...PATH_PARTS.map((key): Layout<PathStepRow> => ({
    key,
    width: 100,
    scale: 'time',
    // A part that never occurs needs no column.
    value: (row) => row[key] || null,
    cell: (row, scale) => scale.text(row[key]),
    isOptional: true,
  })),
]);

/** Of scattered pieces, only the first is where the row starts. */
const firstShare = (row: PathRow) => (row.is_scattered ? row.count : 1);

export default function CriticalPathView(props: ViewProps) {
  const report = createReport(
    'critical_path',
    () => props.session,
    () => ({ ...selectionParams(), limit: getParam('limit') ?? null }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show when={data().is_admitted} fallback={<Refused report={data()} />}>
          <div class="page is-filling">
            <Warnings notes={data().notes} />
            <Figures report={data()} />
            <Tables report={data()} session={props.session} />
            <Remarks notes={data().notes} />
          </div>
        </Show>
      )}
    </AnswerView>
  );
}

function Refused(props: { report: CriticalPathReport }) {
  return (
    <EmptyState
      title="No critical path"
      actions={<a href={hrefTo({ view: 'steps' })}>Show the steps</a>}
    >
      {props.report.refusal}
    </EmptyState>
  );
}

function Figures(props: { report: CriticalPathReport }) {
  const pieces = () =>
    WAIT_KINDS.flatMap(({ key, title, color }) => {
      const row = props.report.kinds.find(({ kind }) => kind === key);
      return row && row.mean_ps > 0 ? [{ title, color, value: row.mean_ps, row }] : [];
    });
  return (
    <div class="kpi-row">
      <KpiCard
        value={formatDuration(props.report.path_ps)}
        detail={<>mean of {plural(props.report.step_count, 'step')}</>}
        figure="critical_path.path_ps"
        compare={compareFigure(
          props.report,
          (report: CriticalPathReport) => report.path_ps,
          'critical_path.path_ps',
        )}
      />
      <KpiCard
        value={formatRatio(props.report.error_ratio)}
        detail={<>accepted up to 0.5 %</>}
        figure="critical_path.error_ratio"
      />
      <div class="card critical-path-kinds">
        <span class="critical-path-title">What the path consists of</span>
        <DividedBar isTall total={props.report.path_ps ?? 1} pieces={pieces()} />
        <ul class="legend">
          <For each={pieces()}>
            {({ title, color, row }) => (
              <li data-tip={`${sentence(row.meaning)}: ${formatDuration(row.mean_ps)} per step`}>
                <span class="swatch" style={{ background: color }} />
                {title} <span class="number">{formatRatio(row.ratio)}</span>
              </li>
            )}
          </For>
        </ul>
      </div>
    </div>
  );
}

function Tables(props: { report: CriticalPathReport; session: string }) {
  const state = { rows: urlTableState('-offset_ps'), others: urlTableState('mean_ps') };
  const steps = urlTableState('-step');
  const file = (name: string) =>
    `stepscope-${summaryOf(props.session)?.name ?? 'session'}-critical-path-${name}`;
  const show = (startPs: number, lengthPs: number, target: LinkTarget) =>
    navigate({ view: 'timeline', params: timelineParams(startPs, lengthPs, target) });
  return (
    <Tabbed
      label="Table"
      state={urlTab()}
      tabs={[
        {
          name: 'path',
          title: props.report.shown_step === null ? 'Path' : `Path of step ${props.report.shown_step}`,
          count: () => props.report.row_count,
          body: (tools) => (
            <DataTable
              rows={props.report.rows}
              rowCount={props.report.row_count}
              columns={PATH}
              state={state.rows}
              noun="segment"
              fileName={file('path')}
              isFilling
              onRow={(row) =>
                show(row.start_ps, row.duration_ps / firstShare(row), {
                  place: row.place,
                  slice: row.slice,
                  isIdle: true,
                })
              }
              tools={tools()}
            />
          ),
        },
        {
          name: 'ops',
          title: 'Ops',
          count: () => props.report.op_count,
          body: (tools) => (
            <DataTable
              rows={props.report.ops}
              rowCount={props.report.op_count}
              columns={OPS}
              state={state.others}
              noun="op"
              compare={COMPARE.ops}
              fileName={file('ops')}
              isFilling
              tools={tools()}
            />
          ),
        },
        {
          name: 'scopes',
          title: 'Scopes',
          count: () => props.report.scopes.length,
          body: (tools) => (
            <DataTable
              rows={props.report.scopes}
              columns={SCOPES}
              state={state.others}
              noun="scope"
              compare={COMPARE.scopes}
              fileName={file('scopes')}
              isFilling
              tools={tools()}
            />
          ),
        },
        {
          name: 'steps',
          title: 'Steps',
          count: () => props.report.steps.length,
          body: (tools) => (
            <DataTable
              rows={props.report.steps}
              columns={STEPS}
              state={steps}
              noun="step"
              compare={COMPARE.steps}
              fileName={file('steps')}
              isFilling
              onRow={(row) => show(row.start_ps, row.duration_ps, { place: row.device })}
              tools={tools()}
            />
          ),
        },
      ]}
    />
  );
}
