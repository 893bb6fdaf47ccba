/** Inference requests: latency, where it goes, batches, the slowest requests. */
import { createMemo, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { occurring, REQUEST_PHASES } from '../../format/causes';
import { largest } from '../../format/largest';
import { formatCount, formatDuration, formatRatio } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { getParam, hrefTo, navigate, selectionParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { timelineParams } from '../../timeline/link';
import { AnswerView } from '../../widgets/answer';
import { BarRows, type BarRow } from '../../widgets/bar-rows/bar-rows';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { compareFigure, KpiCard } from '../../widgets/kpi';
import { Remarks, Warnings } from '../../widgets/notes';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabbed, urlTab } from '../../widgets/tabs/tabbed';
import type { BatchRow } from '../../wire/generated/BatchRow';
import type { RequestRow } from '../../wire/generated/RequestRow';
import type { RequestsReport } from '../../wire/generated/RequestsReport';
import { createReport } from '../../wire/report';
import './requests.css';
import { declared, type Layout } from '../../widgets/table/declared';

const COMPARE = compareTable('requests.rows', (report: RequestsReport) => report.rows);

const CODE = 'with jax.profiler.TraceAnnotation("inference_request", request_id=i):';

function columnsFor(longestPs: number): Column<RequestRow>[] {
  return declared<RequestRow>('requests.rows', [
    { key: 'name', width: 180, value: (row) => row.name },
    {
      key: 'request_id',
      width: 80,
      value: (row) => row.request_id || null,
      isOptional: true,
    },
    {
      key: 'latency_ps',
      width: 110,
      scale: 'time',
      value: (row) => row.latency_ps,
    },
    {
      key: 'phases',
      title: 'Phases',
      figure: 'requests.phases',
      width: 240,
      value: () => null,
      cell: (row) => (
        <DividedBar
          total={longestPs}
          pieces={REQUEST_PHASES.map((phase, index) => ({
            title: phase.title,
            value: row.phases_ps[index] ?? 0,
            color: phase.color,
          }))}
        />
      ),
    },
    ...REQUEST_PHASES.map((phase, index): Layout<RequestRow> => ({
      key: `${phase.key}_ps`,
      width: 84,
      scale: 'time',
      value: (row) => (row.phases_ps[index] ?? 0) || null,
      isOptional: true,
    })),
    { key: 'host', width: 110, value: (row) => row.host },
    {
      key: 'start_ps',
      width: 100,
      value: (row) => row.start_ps,
    },
  ]);
}

const BATCHES = declared<BatchRow>('requests.batches', [
  { key: 'name', width: 180, value: (row) => row.name },
  {
    key: 'batch_id',
    width: 80,
    value: (row) => row.batch_id || null,
    isOptional: true,
  },
  {
    key: 'duration_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.duration_ps,
  },
  {
    key: 'device_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.device_ps,
  },
  {
    key: 'delay_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.delay_ps,
    isOptional: true,
  },
  {
    key: 'request_count',
    width: 90,
    value: (row) => row.request_count,
  },
  {
    key: 'size',
    width: 80,
    value: (row) => row.size,
    isOptional: true,
  },
  {
    key: 'padding',
    width: 90,
    value: (row) => row.padding,
    isOptional: true,
  },
  {
    key: 'efficiency_ratio',
    width: 100,
    value: (row) => row.efficiency_ratio,
    isOptional: true,
  },
  {
    key: 'start_ps',
    width: 100,
    value: (row) => row.start_ps,
  },
]);

export default function RequestsView(props: ViewProps) {
  const report = createReport(
    'requests',
    () => props.session,
    () => ({
      ...selectionParams(),
      root: getParam('root') ?? null,
      batch: getParam('batch') ?? null,
      limit: getParam('limit') ?? null,
    }),
  );
  const rows = urlTableState('latency_ps');
  const batches = urlTableState('duration_ps');
  const file = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}-requests`;
  const show = (row: { start_ps: number }, lengthPs: number) =>
    navigate({ view: 'timeline', params: timelineParams(row.start_ps, lengthPs) });
  return (
    <AnswerView answer={report}>
      {(data) => {
        const columns = createMemo(() =>
          columnsFor(largest(data().rows, (row) => row.latency_ps)),
        );
        return (
          <Show when={data().rows.length > 0} fallback={<NoRequests />}>
            <div class="page is-filling">
              <Warnings notes={data().notes} />
              <Figures report={data()} />
              <Latency report={data()} />
              <Tabbed
                label="Table"
                state={urlTab()}
                tabs={[
                  {
                    name: 'requests',
                    title: 'Requests',
                    count: () => data().row_count,
                    body: (tools) => (
                      <DataTable
                        rows={data().rows}
                        rowCount={data().row_count}
                        columns={columns()}
                        state={rows}
                        noun="request"
                        compare={COMPARE}
                        fileName={file()}
                        isFilling
                        onRow={(row) => show(row, row.latency_ps)}
                        tools={tools()}
                      />
                    ),
                  },
                  {
                    name: 'batches',
                    title: 'Batches',
                    count: () => data().batches.length,
                    body: (tools) => (
                      <DataTable
                        rows={data().batches}
                        columns={BATCHES}
                        state={batches}
                        noun="batch"
                        fileName={`${file()}-batches`}
                        isFilling
                        onRow={(row) => show(row, row.duration_ps)}
                        tools={tools()}
                        empty="No batches were recorded"
                      />
                    ),
                  },
                ]}
              />
              <Remarks notes={data().notes} />
            </div>
          </Show>
        );
      }}
    </AnswerView>
  );
}

function Figures(props: { report: RequestsReport }) {
  const latency = (percentile: number) => (report: RequestsReport) =>
    report.percentiles.find((row) => row.percentile === percentile)?.latency_ps ?? null;
  const at = (percentile: number) => latency(percentile)(props.report);
  return (
    <div class="kpi-row">
      <KpiCard
        title="Median latency"
        compare={compareFigure(props.report, latency(50), 'requests.percentiles.latency_ps')}
        value={formatDuration(at(50))}
        detail={<>mean {formatDuration(Math.round(props.report.mean_ps ?? 0))}</>}
        figure="requests.percentiles.percentile"
      />
      <KpiCard
        title="p99 latency"
        value={formatDuration(at(99))}
        figure="requests.percentiles.percentile"
        compare={compareFigure(props.report, latency(99), 'requests.percentiles.latency_ps')}
      />
      <KpiCard
        compare={compareFigure(
          props.report,
          (report: RequestsReport) => report.throughput,
          'requests.throughput',
        )}
        value={`${(props.report.throughput ?? 0).toFixed(1)}\u202f/s`}
        detail={<>{formatCount(props.report.row_count)} requests</>}
        figure="requests.throughput"
      />
      <KpiCard
        value={(props.report.concurrency_mean ?? 0).toFixed(1)}
        detail={<>max {props.report.concurrency_max}</>}
        figure="requests.concurrency_mean"
      />
      <KpiCard
        compare={compareFigure(
          props.report,
          (report: RequestsReport) => report.padding_ratio,
          'requests.padding_ratio',
        )}
        value={formatRatio(props.report.padding_ratio)}
        detail={<>of all batches</>}
        figure="requests.padding_ratio"
      />
    </div>
  );
}

/** The phases of the request at each percentile, and of the mean. */
function Latency(props: { report: RequestsReport }) {
  const bars = (): BarRow[] => [
    {
      label: 'mean',
      values: props.report.phases.map((phase) => phase.mean_ps),
      text: formatDuration(Math.round(props.report.mean_ps ?? 0)),
    },
    ...props.report.percentiles.map((row) => ({
      label: `p${row.percentile}`,
      values: row.phases_ps,
      text:
        formatDuration(row.latency_ps) + (row.request_id ? `, request ${row.request_id}` : ''),
      href: hrefTo({ view: 'timeline', params: timelineParams(row.start_ps, row.latency_ps) }),
    })),
  ];
  return (
    <section class="card request-latency">
      <header>
        <h2 data-figure="requests.phases">Where latency goes</h2>
        <span class="spacer" />
        <Legend
          entries={occurring(
            REQUEST_PHASES,
            props.report.rows.map((row) => row.phases_ps),
          )}
        />
      </header>
      <div class="card-body is-rows">
        <BarRows rows={bars()} meanings={REQUEST_PHASES} />
      </div>
    </section>
  );
}

function NoRequests() {
  return (
    <EmptyState title="No requests in this profile" code={CODE}>
      Found no request of a model server, and no annotation named after request, inference, generate,
      serve or predict. Wrap each request and record again, or match annotations with another name
      with <code>--root REGEX</code>:
    </EmptyState>
  );
}
