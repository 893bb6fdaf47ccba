/** Input wait: whether the program is input-bound, why, on which host, and in which stage. */
import { createMemo, For, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { INPUT_CAUSES, meaningOf, occurring } from '../../format/causes';
import { largest } from '../../format/largest';
import { columnScale, formatDuration, formatRatio, plural } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { baseline, hrefTo, navigate, selectionParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { timelineParams } from '../../timeline/link';
import { AnswerView } from '../../widgets/answer';
import { BarRows, MeaningCell, type BarRow } from '../../widgets/bar-rows/bar-rows';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { compareFigure, FigureChange, KpiCard } from '../../widgets/kpi';
import { Middle } from '../../widgets/middle';
import { InlineHint, Remarks, Warnings } from '../../widgets/notes';
import { StepChart } from '../../widgets/steps/chart';
import { CODE_STEPS } from '../../widgets/steps/source';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabbed, urlTab } from '../../widgets/tabs/tabbed';
import type { InputReport } from '../../wire/generated/InputReport';
import type { InputRow } from '../../wire/generated/InputRow';
import type { StageRow } from '../../wire/generated/StageRow';
import { createReport } from '../../wire/report';
import { barsOf, hostMeans, partsOf } from './bars';
import './input.css';
import { declared } from '../../widgets/table/declared';

const COMPARE = {
  steps: compareTable('input.rows', (report: InputReport) => report.rows),
  stages: compareTable('input.stages', (report: InputReport) => report.stages),
};

function rowColumns(longestPs: number): Column<InputRow>[] {
  return declared<InputRow>('input.rows', [
    { key: 'host', width: 110, value: (row) => row.host },
    { key: 'device', width: 110, value: (row) => row.device },
    { key: 'step', width: 80, value: (row) => row.step },
    {
      key: 'input_ps',
      width: 96,
      scale: 'time',
      value: (row) => row.input_ps,
    },
    {
      key: 'input_ratio',
      width: 90,
      value: (row) => row.input_ratio,
    },
    {
      key: 'parts',
      title: 'Causes',
      figure: 'input.rows.cause',
      width: 200,
      value: () => null,
      cell: (row) => (
        <DividedBar
          total={longestPs}
          pieces={INPUT_CAUSES.map((meaning, index) => ({
            title: meaning.title,
            value: partsOf(row)[index] ?? 0,
            color: meaning.color,
          }))}
        />
      ),
    },
    {
      key: 'waiting_ps',
      width: 96,
      scale: 'time',
      value: (row) => row.waiting_ps,
    },
    {
      key: 'copies_ps',
      width: 112,
      scale: 'time',
      value: (row) => row.copies_ps,
    },
    {
      key: 'loading_ps',
      width: 96,
      scale: 'time',
      value: (row) => row.loading_ps,
    },
    {
      key: 'duration_ps',
      width: 112,
      scale: 'time',
      value: (row) => row.duration_ps,
    },
    {
      key: 'start_ps',
      width: 100,
      value: (row) => row.start_ps,
    },
  ]);
}

const STAGES = declared<StageRow>('input.stages', [
  {
    key: 'name',
    width: 320,
    value: (row) => row.name,
    cell: (row) => (
      <span class="input-stage">
        <Middle text={row.name} isCode />
        <Show when={row.is_bottleneck}>
          <span class="input-slowest">slowest</span>
        </Show>
      </span>
    ),
  },
  { key: 'stage', width: 110, value: (row) => row.stage },
  { key: 'source', width: 100, value: (row) => row.source },
  { key: 'count', width: 80, value: (row) => row.count },
  {
    key: 'self_ps',
    width: 96,
    scale: 'time',
    value: (row) => row.self_ps,
  },
  {
    key: 'total_ps',
    width: 96,
    scale: 'time',
    value: (row) => row.total_ps,
  },
  {
    key: 'mean_ps',
    width: 90,
    scale: 'one',
    value: (row) => row.mean_ps,
  },
  {
    key: 'longest_ps',
    width: 90,
    scale: 'one',
    value: (row) => row.longest_ps,
  },
  {
    key: 'background_ps',
    width: 110,
    value: (row) => row.background_ps || null,
    isOptional: true,
  },
]);

export default function InputView(props: ViewProps) {
  const report = createReport(
    'input',
    () => props.session,
    () => ({ ...selectionParams(), limit: 0 }),
  );
  const rows = urlTableState('input_ps');
  const stages = urlTableState('self_ps');
  const file = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}-input`;
  return (
    <AnswerView answer={report}>
      {(data) => {
        const columns = createMemo(() =>
          rowColumns(largest(data().rows, (row) => row.input_ps)),
        );
        return (
          <Show when={data().rows.length > 0} fallback={<NoSteps report={data()} />}>
            <div class="page is-filling">
              <Warnings notes={data().notes} />
              <p class="input-conclusion">
                <InlineHint text={data().conclusion} />
              </p>
              <Bounds report={data()} />
              <Show when={hasWait(data())} fallback={<NoWait report={data()} />}>
                <div class="card-pair">
                  <Causes report={data()} />
                  <Places report={data()} />
                </div>
              </Show>
              <Show when={hasWait(data()) || data().stages.length > 0}>
                <Tabbed
                  label="Table"
                  state={urlTab()}
                  tabs={[
                    {
                      name: 'steps',
                      title: 'Steps',
                      has: () => hasWait(data()),
                      count: () => data().row_count,
                      body: (tools) => (
                        <DataTable
                          rows={data().rows}
                          columns={columns()}
                          state={rows}
                          noun="row"
                          compare={COMPARE.steps}
                          fileName={file()}
                          isFilling
                          onRow={(row) =>
                            navigate({
                              view: 'timeline',
                              params: timelineParams(row.start_ps, row.duration_ps, {
                                place: `${row.host}/${row.device}`,
                                isIdle: true,
                              }),
                            })
                          }
                          tools={tools()}
                        />
                      ),
                    },
                    {
                      name: 'stages',
                      title: 'Stages',
                      count: () => data().stages.length,
                      body: (tools) => (
                        <DataTable
                          rows={data().stages}
                          columns={STAGES}
                          state={stages}
                          noun="stage"
                          compare={COMPARE.stages}
                          fileName={`${file()}-stages`}
                          isFilling
                          onRow={(row) =>
                            navigate({ view: 'timeline', params: { search: row.name } })
                          }
                          tools={tools()}
                          empty="No input stages were recorded"
                        />
                      ),
                    },
                  ]}
                />
              </Show>
              <Remarks notes={data().notes} />
            </div>
          </Show>
        );
      }}
    </AnswerView>
  );
}

/** Whether any step waited; with a baseline, steps may have stopped waiting. */
const hasWait = (report: InputReport) =>
  baseline() !== null || report.rows.some((row) => row.input_ps > 0);

/** Instead of a table of zeros. */
function NoWait(props: { report: InputReport }) {
  const count = () => new Set(props.report.rows.map((row) => row.step)).size;
  return (
    <p class="card card-body input-none muted">
      No step waited for input ({plural(count(), 'step')} of{' '}
      {plural(new Set(props.report.rows.map((row) => `${row.host}/${row.device}`)).size, 'device')}).{' '}
      <a href={hrefTo({ view: 'idle' })}>What devices wait for</a>
    </p>
  );
}

function Bounds(props: { report: InputReport }) {
  return (
    <div class="kpi-row">
      <For each={props.report.bounds.filter((bound) => bound.key !== 'offload' || bound.mean_ps > 0)}>
        {(bound) => (
          <KpiCard
            title={bound.title}
            value={formatRatio(bound.ratio)}
            compare={compareFigure(
              props.report,
              (report: InputReport) =>
                report.bounds.find((other) => other.key === bound.key)?.ratio,
              'input.bounds.ratio',
            )}
            verdict={bound.verdict}
            detail={
              <>
                {formatDuration(Math.round(bound.mean_ps))} per step
                <Show when={bound.key === 'input' && props.report.between_steps}>
                  {(between) => <>, {formatDuration(Math.round(between().input_ps))} between</>}
                </Show>
              </>
            }
            tip={`Share of the step. Good below ${formatRatio(bound.low_ratio)}, bad from ${formatRatio(bound.high_ratio)}.`}
          />
        )}
      </For>
    </div>
  );
}

function Causes(props: { report: InputReport }) {
  const times = () =>
    columnScale(
      'duration',
      props.report.causes.map((row) => row.mean_ps),
    );
  return (
    <section class="card">
      <header>
        <h2 data-figure="input.rows.cause">Why devices wait for input</h2>
      </header>
      <div class="card-body">
        <Show
          when={props.report.causes.length > 0}
          fallback={<p class="muted">No input wait was recorded.</p>}
        >
          <table class="cause-table">
            <thead>
              <tr>
                <th>Cause</th>
                <th class="number">{times().unit} per step</th>
                <th class="number">Share of step</th>
              </tr>
            </thead>
            <tbody>
              <For each={props.report.causes}>
                {(row) => (
                  <>
                    <tr>
                      <td>
                        <MeaningCell meaning={meaningOf(INPUT_CAUSES, row.cause)} />
                      </td>
                      <td class="number">
                        {times().text(row.mean_ps)}
                        <FigureChange
                          compare={compareFigure(
                            props.report,
                            (report: InputReport) =>
                              report.causes.find((other) => other.cause === row.cause)?.mean_ps,
                            'input.causes.mean_ps',
                          )}
                        />
                      </td>
                      <td class="number">{formatRatio(row.step_ratio)}</td>
                    </tr>
                    <tr>
                      <td class="input-remedy" colspan="3">
                        <InlineHint text={row.remedy} />
                      </td>
                    </tr>
                  </>
                )}
              </For>
            </tbody>
          </table>
        </Show>
      </div>
    </section>
  );
}

/** Input wait over the steps and, if there are several hosts, per host. */
function Places(props: { report: InputReport }) {
  const hosts = createMemo((): BarRow[] => {
    const means = hostMeans(props.report.rows);
    return props.report.hosts.map((host) => ({
      label: host.host,
      values: means.get(host.host) ?? [],
      text: `${formatDuration(Math.round(host.input_median_ps))} median, ${formatDuration(Math.round(host.input_mean_ps))} mean (${formatRatio(host.input_ratio)})`,
      href: hrefTo({
        view: 'timeline',
        params: timelineParams(host.longest_start_ps, host.longest_ps, {
          place: host.host,
          isIdle: true,
        }),
      }),
    }));
  });
  const steps = createMemo(() => barsOf(props.report.rows));
  return (
    <section class="card">
      <header>
        <h2>By {props.report.hosts.length > 1 ? 'host and step' : 'step'}</h2>
        <span class="spacer" />
        <Legend entries={occurring(INPUT_CAUSES, steps().map((step) => step.parts_ps))} />
      </header>
      <div class="card-body">
        <Show when={props.report.hosts.length > 1}>
          <BarRows rows={hosts()} meanings={INPUT_CAUSES} />
          <h3>Mean over hosts</h3>
        </Show>
        <Show
          when={steps().some((step) => step.duration_ps > 0)}
          fallback={<p class="muted">No step waited for input.</p>}
        >
          <StepChart series={steps()} meanings={INPUT_CAUSES} label="by input wait and its cause" />
        </Show>
      </div>
    </section>
  );
}

function NoSteps(props: { report: InputReport }) {
  return (
    <EmptyState title="No steps in this profile" code={CODE_STEPS}>
      {props.report.conclusion} Wrap each step of the loop and record again:
    </EmptyState>
  );
}
