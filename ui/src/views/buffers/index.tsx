/** The memory plan of a program: how much over its schedule, who at a point, what to shrink. */
import { For, Show } from 'solid-js';

import { formatBytes, formatCount, formatRatio, plural } from '../../format/numbers';
import { truncateMiddle } from '../../format/text';
import { summaryOf } from '../../shell/session';
import { getParam, hrefTo, select, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { DividedBar, Legend, ShareCell } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { KpiCard } from '../../widgets/kpi';
import { Middle } from '../../widgets/middle';
import { Hint, Remarks, Warnings } from '../../widgets/notes';
import type { Column } from '../../widgets/table/rows';
import { localTableState, urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { BufferCategory } from '../../wire/generated/BufferCategory';
import type { BufferPadding } from '../../wire/generated/BufferPadding';
import type { BufferRow } from '../../wire/generated/BufferRow';
import type { BufferSaving } from '../../wire/generated/BufferSaving';
import type { BuffersReport } from '../../wire/generated/BuffersReport';
import { createReport } from '../../wire/report';
import { Blocks, Curve, PASSES } from './charts';
import './buffers.css';

const LIMIT = 5000;

const CATEGORIES: Record<string, { title: string; colour: string }> = {
  parameter: { title: 'Arguments', colour: '#d8a27a' },
  output: { title: 'Results', colour: '#8f74d6' },
  'thread-local': { title: 'Thread-local', colour: '#97a1af' },
  constant: { title: 'Constants', colour: '#d3b53a' },
  temporary: { title: 'Temporaries', colour: '#3f7fd0' },
};

const REMEDIES: Record<string, string> = {
  rematerialise: 'Recompute',
  donate: 'Donate',
  shard: 'Shard',
  precision: 'Lower precision',
  batch: 'Smaller batch',
  padding: 'Less padding',
};

const categoryOf = (name: string) => CATEGORIES[name] ?? { title: name, colour: '#97a1af' };

const categoryText = ({ category, bytes, ratio, count }: BufferCategory) =>
  `${categoryOf(category).title} ${formatBytes(bytes)} (${formatRatio(ratio)}, ${count})`;

/** The graph around an instruction of a program. */
const graphHref = (programId: string, op: string) =>
  hrefTo({ view: 'graph', params: { program: programId, op } });

function columnsFor(programId: string): Column<BufferRow>[] {
  return [
    {
      key: 'name',
      title: 'Buffer',
      figure: 'buffers.name',
      width: 250,
      value: (row) => row.name,
      cell: (row) => (
        <Show when={row.instruction} fallback={<Middle text={row.name} isCode />}>
          <a href={graphHref(programId, row.instruction)} data-tip="Show it in the graph">
            <Middle text={row.name} isCode />
          </a>
        </Show>
      ),
    },
    { key: 'bytes', title: 'Bytes', width: 96, kind: 'bytes', value: (row) => row.bytes },
    {
      key: 'ratio',
      title: 'Share',
      figure: 'buffers.ratio',
      width: 130,
      kind: 'ratio',
      value: (row) => row.ratio,
      cell: (row, scale) => (
        <ShareCell
          ratio={row.ratio}
          text={scale.text(row.ratio)}
          colour={categoryOf(row.category).colour}
        />
      ),
    },
    {
      key: 'category',
      title: 'For',
      figure: 'buffers.category',
      width: 112,
      value: (row) => categoryOf(row.category).title + (row.is_donated ? ', donated' : ''),
    },
    {
      key: 'shape',
      title: 'Shape',
      width: 220,
      value: (row) => row.shape,
      cell: (row) => <Middle text={row.shape} isCode />,
    },
    {
      key: 'padding_bytes',
      title: 'Padding',
      width: 92,
      kind: 'bytes',
      value: (row) => row.padding_bytes || null,
      isOptional: true,
    },
    {
      key: 'scope',
      title: 'Scope',
      figure: '',
      width: 260,
      value: (row) => row.scope,
      cell: (row) => <Middle text={row.scope || '–'} />,
      isOptional: true,
    },
    {
      key: 'source',
      title: 'Source',
      figure: '',
      width: 170,
      value: (row) => row.source,
      cell: (row) => <Middle text={row.source || '–'} />,
      isOptional: true,
    },
    {
      key: 'start',
      title: 'From',
      width: 70,
      kind: 'count',
      value: (row) => row.start,
      isOptional: true,
    },
    {
      key: 'end',
      title: 'To',
      width: 70,
      kind: 'count',
      value: (row) => row.end,
      isOptional: true,
    },
    {
      key: 'end_instruction',
      title: 'Freed at',
      width: 180,
      value: (row) => row.end_instruction,
      cell: (row) => <Middle text={row.end_instruction || '–'} isCode />,
      isOptional: true,
    },
    {
      key: 'sharding',
      title: 'Sharding',
      width: 170,
      value: (row) => row.sharding,
      isOptional: true,
    },
    {
      key: 'offset_bytes',
      title: 'Offset',
      width: 92,
      kind: 'bytes',
      value: (row) => row.offset_bytes,
      isOptional: true,
    },
  ];
}

const PADDING: Column<BufferPadding>[] = [
  {
    key: 'shape',
    title: 'Shape',
    width: 300,
    value: (row) => row.shape,
    cell: (row) => <Middle text={row.shape} isCode />,
  },
  {
    key: 'padding_bytes',
    title: 'Padding',
    width: 100,
    kind: 'bytes',
    value: (row) => row.padding_bytes,
  },
  {
    key: 'padding_ratio',
    title: 'Of it',
    width: 90,
    kind: 'ratio',
    value: (row) => row.padding_ratio,
  },
  { key: 'bytes', title: 'Bytes', width: 100, kind: 'bytes', value: (row) => row.bytes },
  {
    key: 'count',
    title: 'Buffers',
    figure: '',
    width: 80,
    kind: 'count',
    value: (row) => row.count,
  },
];

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

function Plan(props: { session: number; report: BuffersReport }) {
  const table = urlTableState('bytes');
  const padding = localTableState('padding_bytes');
  const report = () => props.report;
  const space = () =>
    report().spaces.find((candidate) => candidate.color === report().memory_space_color);
  const go = (position: number) =>
    setParams({ at: position === report().peak_position ? null : position }, false);
  const isPeak = () => report().position === report().peak_position;
  const hasSchedule = () => report().point_count > 1;
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
                {candidate.name} {formatBytes(candidate.peak_bytes)}
              </button>
            )}
          </For>
        </span>
        <a href={hrefTo({ view: 'graph', params: { program: report().program_id } })}>Graph</a>
      </div>
      <div class="kpis buffers-kpis">
        <KpiCard
          title={`Peak of ${report().memory_space}`}
          value={formatBytes(report().peak_bytes)}
          figure="buffers.peak_bytes"
          detail={
            hasSchedule() ? `at point ${formatCount(report().peak_position)}` : 'at all times'
          }
        />
        <KpiCard
          title="Reserved"
          value={formatBytes(space()?.allocation_bytes)}
          figure="allocation_bytes"
          detail={`${formatBytes(space()?.fragmentation_bytes)} of it between buffers`}
        />
        <KpiCard
          title="Arguments"
          value={formatBytes(space()?.parameter_bytes)}
          figure="parameter_bytes"
          detail={`${formatBytes(space()?.live_out_bytes)} may hold results`}
        />
        <KpiCard
          title="Temporaries"
          value={formatBytes(space()?.temporary_bytes)}
          figure="temporary_bytes"
          detail={`${formatBytes(space()?.constant_bytes)} of constants`}
        />
        <KpiCard
          title="Padding at the peak"
          value={formatBytes(report().peak_bytes - report().peak_unpadded_bytes)}
          figure="padding_bytes"
          detail={formatRatio(
            report().peak_bytes > 0 ? 1 - report().peak_unpadded_bytes / report().peak_bytes : 0,
          )}
        />
        <Show when={report().scoped_vmem_bytes !== null}>
          <KpiCard
            title="Scoped VMEM"
            value={formatBytes(report().scoped_vmem_bytes)}
            figure="scoped_vmem_bytes"
            detail={<code>{report().scoped_vmem_instruction}</code>}
          />
        </Show>
      </div>
      <Savings report={report()} />
      <section class="card buffers-card">
        <header>
          <h2>Over the schedule</h2>
          <span class="muted">
            {hasSchedule()
              ? 'Click a point to see who holds it'
              : 'No heap trace: the same at all times'}
          </span>
        </header>
        <Show when={hasSchedule()}>
          <Curve report={report()} onPoint={go} />
        </Show>
        <Show when={report().lifetimes.length > 0}>
          <header>
            <h3>Where in the heap</h3>
            <span class="muted">
              {plural(report().lifetime_count, 'buffer')} in {formatBytes(report().heap_bytes)}:
              left to right the schedule, bottom to top the offset
            </span>
            <Legend entries={PASSES} />
          </header>
          <Blocks report={report()} onPoint={go} />
        </Show>
      </section>
      <section class="card buffers-card">
        <header>
          <h2>
            {isPeak() ? 'Held at the peak' : `Held at point ${formatCount(report().position)}`}
          </h2>
          <span class="number">{formatBytes(report().position_bytes)}</span>
          <Show when={report().position_instruction}>
            {(name) => (
              <span class="muted">
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
            colour: categoryOf(category.category).colour,
          }))}
        />
        <Legend
          entries={report().categories.map((category) => ({
            title: categoryText(category),
            colour: categoryOf(category.category).colour,
          }))}
        />
        <div class="buffers-table">
          <DataTable
            rows={report().rows}
            rowCount={report().row_count}
            columns={columnsFor(report().program_id)}
            state={table}
            noun="buffer"
            fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-buffers`}
            isFilling
            onPromoteQuery={(query) => select('match', query)}
            empty="Nothing is held"
          />
        </div>
      </section>
      <Show when={report().padding.length > 0}>
        <section class="card buffers-card">
          <header>
            <h2>Padding</h2>
            <span class="muted">Bytes that layouts lose to whole tiles</span>
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

/** What to shrink to fit, each with what it would free. */
function Savings(props: { report: BuffersReport }) {
  const peak = () => Math.max(1, props.report.peak_bytes);
  return (
    <Show when={props.report.savings.length > 0}>
      <section class="card buffers-card">
        <header>
          <h2>What to shrink to fit</h2>
          <span class="muted">By how much the peak would fall</span>
        </header>
        <ul class="buffers-savings">
          <For each={props.report.savings.slice(0, 8)}>
            {(saving) => (
              <Saving saving={saving} peak={peak()} programId={props.report.program_id} />
            )}
          </For>
        </ul>
      </section>
    </Show>
  );
}

function Saving(props: { saving: BufferSaving; peak: number; programId: string }) {
  const saving = () => props.saving;
  return (
    <li>
      <b class="number">{formatBytes(saving().frees_bytes)}</b>
      <ShareCell
        ratio={saving().frees_bytes / props.peak}
        text={formatRatio(saving().frees_bytes / props.peak)}
        colour="var(--accent)"
      />
      <div>
        <p>
          <b>{REMEDIES[saving().remedy] ?? saving().remedy}</b>{' '}
          <span class="mono">{saving().group}</span>{' '}
          <span class="muted">
            {plural(saving().count, 'buffer')}, {formatBytes(saving().bytes)}
            <Show when={saving().source}>, {saving().source}</Show>, such as{' '}
            <a href={graphHref(props.programId, saving().instruction)}>{saving().instruction}</a>
          </span>
        </p>
        <p class="muted">{saving().advice}</p>
      </div>
    </li>
  );
}

function NoPlan(props: { report: BuffersReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState
      title="No memory plan to show"
      actions={
        <Show when={getParam('program')}>
          <button onClick={() => select('program', null)}>All programs</button>
        </Show>
      }
    >
      {note()?.text ?? 'The capture carries no program with a memory plan.'}{' '}
      <Show when={note()?.hint}>{(hint) => <Hint hint={hint()} />}</Show>
    </EmptyState>
  );
}
