/** The memory plan of a program: memory over the schedule, buffers at a point, what to shrink. */
import { For, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { formatBytes, formatCount, formatRatio, plural } from '../../format/numbers';
import { sentence, truncateMiddle } from '../../format/text';
import { summaryOf } from '../../shell/session';
import { getParam, hrefTo, select, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { compareFigure, KpiCard } from '../../widgets/kpi';
import { Middle } from '../../widgets/middle';
import { Hint, Remarks, Warnings } from '../../widgets/notes';
import { localTableState, urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { BuffersReport } from '../../wire/generated/BuffersReport';
import { createReport } from '../../wire/report';
import { isHeapDrawn } from './blocks';
import { Blocks, Curve, passesOf } from './charts';
import { categoryOf, categoryText, columnsFor, graphHref, PADDING } from './columns';
import { Savings } from './savings';
import './buffers.css';

const LIMIT = 5000;

/** Buffer names differ between compilations; category, shape, scope and source identify a buffer. */
const COMPARE = compareTable('buffers.rows', (report: BuffersReport) => report.rows);

export default function BuffersView(props: ViewProps) {
  const report = createReport(
    'buffers',
    () => props.session,
    () => ({ ...selectionParams(), limit: LIMIT, at: getParam('at'), space: getParam('space') }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show when={data().program} fallback={<NoPlan report={data()} />}>
          <Plan session={props.session} report={data()} />
        </Show>
      )}
    </AnswerView>
  );
}

function Plan(props: { session: string; report: BuffersReport }) {
  const table = urlTableState('bytes');
  const padding = localTableState('padding_bytes');
  const report = () => props.report;
  const spaceOf = (one: BuffersReport) =>
    one.spaces.find((candidate) => candidate.color === one.memory_space_color);
  const space = () => spaceOf(report());
  const go = (position: number) =>
    setParams({ at: position === report().peak_position ? null : position }, false);
  const isPeak = () => report().position === report().peak_position;
  const hasSchedule = () => report().point_count > 1;
  const isDrawn = () => isHeapDrawn(report().heap_bytes, report().peak_bytes);
  return (
    <div class="page">
      <Warnings notes={report().notes} />
      <div class="buffers-bar">
        <select
          aria-label="Program"
          value={report().program_id}
          onChange={(event) =>
            setParams({ program: event.currentTarget.value, at: null, space: null }, false)
          }
        >
          <For each={report().programs}>
            {(program) => (
              <option value={program.program_id}>
                {truncateMiddle(program.program, 44)} · {formatBytes(program.peak_bytes)}
              </option>
            )}
          </For>
        </select>
        <span class="segmented">
          <For each={report().spaces.filter((candidate) => candidate.peak_bytes > 0)}>
            {(candidate) => (
              <button
                aria-pressed={candidate.color === report().memory_space_color}
                onClick={() => setParams({ space: String(candidate.color), at: null }, false)}
              >
                {sentence(`${candidate.name} ${formatBytes(candidate.peak_bytes)}`)}
              </button>
            )}
          </For>
        </span>
        <a href={hrefTo({ view: 'graph', params: { program: report().program_id } })}>Graph</a>
      </div>
      <div class="kpi-row">
        <KpiCard
          title={`Peak of ${report().memory_space}`}
          compare={compareFigure(
            report(),
            (other: BuffersReport) => other.peak_bytes,
            'buffers.peak_bytes',
          )}
          value={formatBytes(report().peak_bytes)}
          figure="buffers.peak_bytes"
          detail={
            hasSchedule() ? `at point ${formatCount(report().peak_position)}` : 'at all times'
          }
        />
        <KpiCard
          title="Reserved"
          compare={compareFigure(
            report(),
            (other: BuffersReport) => spaceOf(other)?.allocation_bytes,
            'buffers.programs.allocation_bytes',
          )}
          value={formatBytes(space()?.allocation_bytes)}
          figure="buffers.programs.allocation_bytes"
          detail={`${formatBytes(space()?.fragmentation_bytes)} unused between buffers`}
        />
        <KpiCard
          title="Arguments"
          compare={compareFigure(
            report(),
            (other: BuffersReport) => spaceOf(other)?.parameter_bytes,
            'buffers.programs.parameter_bytes',
          )}
          value={formatBytes(space()?.parameter_bytes)}
          figure="buffers.programs.parameter_bytes"
          detail={`${formatBytes(space()?.live_out_bytes)} may hold results`}
        />
        <KpiCard
          title="Temporaries"
          compare={compareFigure(
            report(),
            (other: BuffersReport) => spaceOf(other)?.temporary_bytes,
            'buffers.programs.temporary_bytes',
          )}
          value={formatBytes(space()?.temporary_bytes)}
          figure="buffers.programs.temporary_bytes"
          detail={`${formatBytes(space()?.constant_bytes)} of constants`}
        />
        <KpiCard
          title="Padding at the peak"
          compare={compareFigure(
            report(),
            (other: BuffersReport) => other.peak_bytes - other.peak_unpadded_bytes,
            'buffers.rows.padding_bytes',
          )}
          value={formatBytes(report().peak_bytes - report().peak_unpadded_bytes)}
          figure="buffers.rows.padding_bytes"
          detail={formatRatio(
            report().peak_bytes > 0 ? 1 - report().peak_unpadded_bytes / report().peak_bytes : 0,
          )}
        />
        <Show when={report().scoped_vmem_bytes !== null}>
          <KpiCard
            value={formatBytes(report().scoped_vmem_bytes)}
            figure="buffers.scoped_vmem_bytes"
            detail={<Middle text={report().scoped_vmem_instruction} isCode />}
          />
        </Show>
      </div>
      <Savings report={report()} />
      <section class="card buffers-card">
        <header>
          <h2>Memory over the schedule</h2>
          <span class="muted">
            {hasSchedule()
              ? 'Click a point to see its buffers'
              : 'No heap trace: constant over the schedule'}
          </span>
        </header>
        <Show when={hasSchedule()}>
          <Curve report={report()} onPoint={go} />
        </Show>
        <Show when={report().lifetimes.length > 0}>
          <header>
            <h3>Heap layout</h3>
            <span class="muted">
              {plural(report().lifetime_count, 'buffer')} in {formatBytes(report().heap_bytes)}
              {isDrawn()
                ? '; horizontal: schedule, vertical: offset'
                : ', less than 0.1 % of the peak and therefore not drawn'}
            </span>
            <Show when={isDrawn()}>
              <Legend entries={passesOf(report().lifetimes)} />
            </Show>
          </header>
          <Show when={isDrawn()}>
            <Blocks report={report()} onPoint={go} />
          </Show>
        </Show>
      </section>
      <section class="card buffers-card">
        <header>
          <h2>
            {isPeak() ? 'Live at the peak' : `Live at point ${formatCount(report().position)}`}
          </h2>
          <span class="number">{formatBytes(report().position_bytes)}</span>
          <Show when={report().position_instruction}>
            {(name) => (
              <span class="buffers-where muted">
                at <a href={graphHref(report().program_id, name())}>{name()}</a>{' '}
                {report().position_scope}
              </span>
            )}
          </Show>
          <Show when={!isPeak()}>
            <button class="quiet" onClick={() => go(report().peak_position)}>
              Back to the peak
            </button>
          </Show>
        </header>
        <DividedBar
          isTall
          total={report().position_bytes}
          pieces={report().categories.map((category) => ({
            title: categoryOf(category.category).title,
            value: category.bytes,
            color: categoryOf(category.category).color,
          }))}
        />
        <Legend
          entries={report().categories.map((category) => ({
            title: categoryText(category),
            color: categoryOf(category.category).color,
          }))}
        />
        <div class="buffers-table">
          <DataTable
            rows={report().rows}
            rowCount={report().row_count}
            columns={columnsFor(report().program_id)}
            state={table}
            noun="buffer"
            compare={COMPARE}
            fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-buffers`}
            isFilling
            onPromoteQuery={(query) => select('match', query)}
            empty="No live buffers"
          />
        </div>
      </section>
      <Show when={report().padding.length > 0}>
        <section class="card buffers-card">
          <header>
            <h2>Padding</h2>
            <span class="muted">Bytes lost to tiled layouts</span>
          </header>
          <DataTable
            rows={report().padding}
            columns={PADDING}
            state={padding}
            noun="shape"
            fileName="stepscope-padding"
            isPlain
          />
        </section>
      </Show>
      <Remarks notes={report().notes} />
    </div>
  );
}

function NoPlan(props: { report: BuffersReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState
      title="No memory plan"
      actions={
        <Show when={getParam('program')}>
          <button onClick={() => select('program', null)}>All programs</button>
        </Show>
      }
    >
      {note()?.text ?? 'No program in this capture has a memory plan.'}{' '}
      <Show when={note()?.hint}>{(hint) => <Hint hint={hint()} />}</Show>
    </EmptyState>
  );
}
