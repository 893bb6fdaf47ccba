/** Compilations in the window: phases, cache, what was recompiled and why, passes. */
import { createMemo, For, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { COMPILE_PHASES, occurring } from '../../format/causes';
import { largest } from '../../format/largest';
import { formatDuration, plural } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { hrefTo, navigate, selectionParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { timelineParams } from '../../timeline/link';
import { AnswerView, ClearSelection } from '../../widgets/answer';
import { BarRows, type BarRow } from '../../widgets/bar-rows/bar-rows';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { createFirst, FirstOf } from '../../widgets/first';
import { compareFigure, KpiCard } from '../../widgets/kpi';
import { Middle } from '../../widgets/middle';
import { Hint, Remarks, Warnings } from '../../widgets/notes';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabbed, urlTab } from '../../widgets/tabs/tabbed';
import type { CompilationRow } from '../../wire/generated/CompilationRow';
import type { CompileReport } from '../../wire/generated/CompileReport';
import type { PassRow } from '../../wire/generated/PassRow';
import { createReport } from '../../wire/report';
import './compile.css';
import { declared, type Layout } from '../../widgets/table/declared';

const COMPARE = {
  compilations: compareTable('compile.rows', (report: CompileReport) => report.rows),
  passes: compareTable('compile.passes', (report: CompileReport) => report.passes),
};

/** Compilations that are drawn at first. */
const BARS = 40;

const phasesOf = (row: CompilationRow): number[] => [
  row.trace_ps,
  row.lower_ps,
  row.cache_ps,
  row.optimize_ps,
  row.generate_ps,
  row.autotune_ps,
  row.backend_ps,
  row.other_ps,
];

function columnsFor(longestPs: number): Column<CompilationRow>[] {
  return declared<CompilationRow>('compile.rows', [
    {
      key: 'function',
      width: 200,
      value: (row) => row.function,
      cell: (row) => (
        <span class="compile-function">
          <Middle text={row.function || 'unknown'} isCode />
          <Show when={row.is_again}>
            <span class="compile-again">recompiled</span>
          </Show>
        </span>
      ),
    },
    {
      key: 'duration_ps',
      width: 110,
      scale: 'time',
      value: (row) => row.duration_ps,
    },
    {
      key: 'phases',
      title: 'Phases',
      figure: 'compile.phases',
      width: 220,
      value: () => null,
      cell: (row) => (
        <DividedBar
          total={longestPs}
          pieces={COMPILE_PHASES.map((phase, index) => ({
            title: phase.title,
            value: phasesOf(row)[index] ?? 0,
            color: phase.color,
          }))}
        />
      ),
    },
    ...COMPILE_PHASES.map((phase, index): Layout<CompilationRow> => ({
      key: `${phase.key}_ps`,
      width: 84,
      scale: 'time',
      value: (row) => (phasesOf(row)[index] ?? 0) || null,
      isOptional: true,
    })),
    {
      key: 'cache',
      width: 70,
      value: (row) => row.cache || null,
      isOptional: true,
    },
    {
      key: 'step',
      width: 70,
      value: (row) => row.step,
      isOptional: true,
    },
    {
      key: 'change',
      width: 300,
      value: (row) => row.change || null,
      isOptional: true,
    },
    {
      key: 'program',
      width: 170,
      value: (row) => row.program || null,
      cell: (row) => <Middle text={row.program || '–'} isCode />,
      isOptional: true,
    },
    { key: 'thread', width: 160, value: (row) => row.thread },
    {
      key: 'start_ps',
      width: 100,
      value: (row) => row.start_ps,
    },
  ]);
}

const PASSES = declared<PassRow>('compile.passes', [
  {
    key: 'name',
    width: 340,
    value: (row) => row.name,
    cell: (row) => <Middle text={row.name} isCode />,
  },
  { key: 'phase', width: 110, value: (row) => row.phase },
  { key: 'count', width: 80, value: (row) => row.count },
  {
    key: 'self_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.self_ps,
  },
  {
    key: 'total_ps',
    width: 100,
    scale: 'time',
    value: (row) => row.total_ps,
  },
]);

export default function CompileView(props: ViewProps) {
  const report = createReport(
    'compile',
    () => props.session,
    () => ({ ...selectionParams(), limit: 0 }),
  );
  const rows = urlTableState('duration_ps');
  const passes = urlTableState('self_ps');
  const file = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}-compile`;
  return (
    <AnswerView answer={report}>
      {(data) => {
        const columns = createMemo(() =>
          columnsFor(largest(data().rows, (row) => row.duration_ps)),
        );
        return (
          <Show when={data().rows.length > 0} fallback={<NothingCompiled report={data()} />}>
            <div class="page is-filling">
              <Warnings notes={data().notes} />
              <div class="compile-head">
                <KpiCard
                  compare={compareFigure(
                    data(),
                    (report: CompileReport) => report.total_ps,
                    'compile.total_ps',
                  )}
                  value={formatDuration(data().total_ps)}
                  figure="compile.total_ps"
                  verdict={data().verdict}
                  detail={<>{plural(data().row_count, 'compilation')}</>}
                  tip={`Compile time on the host that compiled longest: ${data().threshold}.`}
                />
                <Functions report={data()} />
              </div>
              <Tabbed
                label="Table"
                state={urlTab()}
                tabs={[
                  {
                    name: 'compilations',
                    title: 'Compilations',
                    count: () => data().row_count,
                    body: (tools) => (
                      <DataTable
                        rows={data().rows}
                        columns={columns()}
                        state={rows}
                        noun="compilation"
                        compare={COMPARE.compilations}
                        fileName={file()}
                        isFilling
                        onRow={(row) =>
                          navigate({
                            view: 'timeline',
                            params: timelineParams(row.start_ps, row.duration_ps),
                          })
                        }
                        tools={tools()}
                      />
                    ),
                  },
                  {
                    name: 'passes',
                    title: 'Passes',
                    count: () => data().passes.length,
                    body: (tools) => (
                      <DataTable
                        rows={data().passes}
                        columns={PASSES}
                        state={passes}
                        noun="pass"
                        compare={COMPARE.passes}
                        fileName={`${file()}-passes`}
                        isFilling
                        tools={tools()}
                        empty="No compiler passes were recorded"
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

function Functions(props: { report: CompileReport }) {
  const longest = createFirst(() => props.report.rows, BARS, (row) => row.duration_ps);
  const bars = (): BarRow[] =>
    longest.rows().map((row) => ({
      label: `${row.function || 'unknown'}${row.step === null ? '' : ` · step ${row.step}`}`,
      values: phasesOf(row),
      text: formatDuration(row.duration_ps) + (row.cache === 'hit' ? ', from cache' : ''),
      href: hrefTo({ view: 'timeline', params: timelineParams(row.start_ps, row.duration_ps) }),
    }));
  const changed = () => props.report.functions.filter((row) => row.changes.length > 0);
  return (
    <section class="card">
      <header>
        <h2 data-figure="compile.phases">Compile time by phase</h2>
        <span class="spacer" />
        <Legend entries={occurring(COMPILE_PHASES, props.report.rows.map(phasesOf))} />
      </header>
      <div class="card-body is-rows">
        <BarRows rows={bars()} meanings={COMPILE_PHASES} />
        <FirstOf first={longest} noun="compilation" which="longest" />
        <For each={changed()}>
          {(row) => (
            <p class="compile-change">
              <code>{row.function || 'unknown'}</code> was recompiled: {row.changes.join('; ')}
            </p>
          )}
        </For>
      </div>
    </section>
  );
}

function NothingCompiled(props: { report: CompileReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState
      title="No compilations"
      actions={
        <ClearSelection>
          <a class="button" href={hrefTo({ view: 'timeline' })}>
            Show the host threads in the timeline
          </a>
        </ClearSelection>
      }
    >
      {note()?.text} <Show when={note()?.hint}>{(hint) => <Hint hint={hint()} />}</Show>
    </EmptyState>
  );
}
