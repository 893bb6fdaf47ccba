/** Every op, program and step under the roofs of the chip, with the peaks and their sources. */
import { createMemo, For, Show, type JSX } from 'solid-js';

import { format, formatRatio, plural } from '../../format/numbers';
import { classColour } from '../../format/palette';
import { formatRange } from '../../timeline/address';
import { summaryOf } from '../../shell/session';
import { getParam, hrefTo, select, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Middle } from '../../widgets/middle';
import { Remarks, Warnings } from '../../widgets/notes';
import { SourceText } from '../../widgets/op-columns';
import { OpLinks } from '../../widgets/op-links';
import type { Column } from '../../widgets/table/rows';
import { localTableState, urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { RooflinePeak } from '../../wire/generated/RooflinePeak';
import type { RooflineReport } from '../../wire/generated/RooflineReport';
import type { RooflineRow } from '../../wire/generated/RooflineRow';
import { createReport } from '../../wire/report';
import { intensityOf, levelTitle, plotted, RooflineChart } from './chart';
import './roofline.css';

const LIMIT = 5000;
const TABS = ['ops', 'steps', 'peaks'] as const;

const tab = () => TABS.find((name) => name === getParam('tab')) ?? 'ops';

/** What tells an op from all others, for the URL. */
const identity = (row: RooflineRow) => `${row.program_id}/${row.name}`;

export default function RooflineView(props: ViewProps) {
  const report = createReport(
    'roofline',
    () => props.session,
    () => ({
      ...selectionParams(),
      limit: LIMIT,
      idle: getParam('idle') ?? null,
      infeed: getParam('infeed') ?? null,
    }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <div class="page is-filling">
          <Warnings notes={data().notes} />
          <Show when={data().rows.length > 0} fallback={<NoPoints />}>
            <Body report={data()} session={props.session} />
          </Show>
          <Remarks notes={data().notes} />
        </div>
      )}
    </AnswerView>
  );
}

function Body(props: { report: RooflineReport; session: number }) {
  const levels = () => ['all', ...props.report.levels];
  const level = () => levels().find((name) => name === getParam('level')) ?? 'all';
  const shown = createMemo(() => props.report.rows.find((row) => identity(row) === getParam('op')));
  const show = (row: RooflineRow | undefined) =>
    setParams({ op: row && row !== shown() ? identity(row) : null }, false);
  const marks = () =>
    props.report.scopes.filter((row) => row.kind !== 'step' || props.report.scopes.length < 40);
  const isPlotted = createMemo(() => plotted(props.report.rows, level()).length);
  return (
    <>
      <section class="card roofline">
        <div class="roofline-bar">
          <span class="segmented">
            <For each={levels()}>
              {(name) => (
                <button
                  aria-pressed={level() === name}
                  data-tip={`FLOP per byte of ${levelTitle(name)}`}
                  onClick={() => setParams({ level: name === 'all' ? null : name }, false)}
                >
                  {levelTitle(name)}
                </button>
              )}
            </For>
          </span>
          <Switch name="idle" title="Idle time" />
          <Switch name="infeed" title="Infeed and outfeed" />
          <span class="spacer" />
          <span class="muted">
            {plural(isPlotted(), 'op')} of {props.report.row_count} have FLOPs to plot, as large as
            their share of time
          </span>
          <For each={MARKS}>
            {([kind, title]) => (
              <Show when={marks().some((row) => row.kind === kind)}>
                <span class="muted">
                  <svg width="12" height="12" aria-hidden="true">
                    <path class={`roofline-mark is-${kind}`} d="M6 0 l6 6 l-6 6 l-6 -6 z" />
                  </svg>{' '}
                  {title}
                </span>
              </Show>
            )}
          </For>
        </div>
        <RooflineChart
          rows={props.report.rows}
          scopes={marks()}
          peaks={props.report.peaks}
          level={level()}
          selected={shown()}
          onSelect={show}
        />
        <Show when={shown()}>
          {(row) => (
            <p class="roofline-selected">
              <strong class="mono">{row().name}</strong>
              <span class="muted">
                {format('flop_rate', row().flop_rate)}, {format('bandwidth', row().bandwidth)}
                {row().bound_by
                  ? `, bound by ${row().bound_by} at ${formatRatio(row().roofline_ratio)}`
                  : ''}
              </span>
              <OpLinks name={row().name} programId={row().program_id} />
            </p>
          )}
        </Show>
      </section>
      <Tables
        report={props.report}
        session={props.session}
        level={level()}
        shown={shown()}
        show={show}
      />
    </>
  );
}

const MARKS = [
  ['total', 'total'],
  ['program', 'program'],
  ['average', 'mean step'],
  ['step', 'step'],
] as const;

/** A choice that is in unless it is left out. */
function Switch(props: { name: 'idle' | 'infeed'; title: string }) {
  return (
    <label class="roofline-check">
      <input
        type="checkbox"
        checked={getParam(props.name) !== 'exclude'}
        onChange={(event) =>
          setParams({ [props.name]: event.currentTarget.checked ? null : 'exclude' }, false)
        }
      />
      {props.title}
    </label>
  );
}

function Tables(props: {
  report: RooflineReport;
  session: number;
  level: string;
  shown: RooflineRow | undefined;
  show: (row: RooflineRow) => void;
}) {
  const table = urlTableState('self_ps');
  const steps = localTableState('');
  const peaks = localTableState('');
  const titles: Record<(typeof TABS)[number], string> = {
    ops: 'Ops',
    steps: 'Total, programs, steps',
    peaks: 'Peaks',
  };
  const name = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}-roofline`;
  const tools = (): JSX.Element => (
    <span class="segmented">
      <For each={TABS}>
        {(key) => (
          <button
            aria-pressed={tab() === key}
            onClick={() => setParams({ tab: key === 'ops' ? null : key }, false)}
          >
            {titles[key]}
          </button>
        )}
      </For>
    </span>
  );
  const body = (): JSX.Element => {
    switch (tab()) {
      case 'ops':
        return (
          <DataTable
            rows={props.report.rows}
            rowCount={props.report.row_count}
            columns={opColumns(props.level)}
            state={table}
            noun="op"
            fileName={name()}
            isFilling
            onRow={props.show}
            isSelected={(row) => row === props.shown}
            onPromoteQuery={(query) => select('match', query)}
            tools={tools()}
          />
        );
      case 'steps':
        return (
          <DataTable
            rows={props.report.scopes}
            columns={scopeColumns(props.level)}
            state={steps}
            noun="point"
            fileName={`${name()}-steps`}
            isFilling
            tools={tools()}
          />
        );
      case 'peaks':
        return (
          <DataTable
            rows={props.report.peaks}
            columns={PEAKS}
            state={peaks}
            noun="peak"
            fileName={`${name()}-peaks`}
            isFilling
            tools={tools()}
          />
        );
    }
  };
  return <section class="card is-main">{body()}</section>;
}

function rates(level: string): Column<RooflineRow>[] {
  return [
    {
      key: 'flop_rate',
      title: 'Rate',
      width: 116,
      kind: 'flop_rate',
      value: (row) => row.flop_rate,
    },
    {
      key: 'bandwidth',
      title: 'Bandwidth',
      width: 124,
      kind: 'bandwidth',
      value: (row) => row.bandwidth,
    },
    {
      key: 'intensity',
      title: 'FLOP/B',
      width: 92,
      kind: 'count',
      value: (row) => intensityOf(row, level),
      cell: (row) => intensityOf(row, level)?.toPrecision(3) ?? '–',
    },
    { key: 'bound_by', title: 'Bound', width: 96, value: (row) => row.bound_by, isOptional: true },
    {
      key: 'roofline_ratio',
      title: 'Of roof',
      width: 100,
      kind: 'ratio',
      value: (row) => row.roofline_ratio,
      cell: (row, scale) => (
        <span
          classList={{ 'roofline-over': row.is_over_peak }}
          data-tip={row.is_over_peak ? 'Above a peak: shown as measured' : undefined}
        >
          {scale.text(row.roofline_ratio)}
          {row.is_over_peak ? ' !' : ''}
        </span>
      ),
      isOptional: true,
    },
    {
      key: 'compute_ratio',
      title: 'Of compute',
      width: 100,
      kind: 'ratio',
      value: (row) => row.compute_ratio,
      isOptional: true,
    },
  ];
}

function opColumns(level: string): Column<RooflineRow>[] {
  return [
    {
      key: 'name',
      title: 'Op',
      width: 260,
      value: (row) => row.name,
      cell: (row) => (
        <span class="op-name">
          <span class="swatch" style={{ background: classColour(row.class) }} />
          <Middle text={row.name} isCode />
        </span>
      ),
    },
    { key: 'self_ps', title: 'Self', width: 92, kind: 'duration', value: (row) => row.self_ps },
    { key: 'self_ratio', title: 'Share', width: 76, kind: 'ratio', value: (row) => row.self_ratio },
    ...rates(level),
    {
      key: 'optimal_flop_rate',
      title: 'At the roof',
      width: 116,
      kind: 'flop_rate',
      value: (row) => row.optimal_flop_rate,
      isOptional: true,
    },
    { key: 'category', title: 'Category', width: 140, value: (row) => row.category },
    {
      key: 'source',
      title: 'Source',
      width: 160,
      value: (row) => row.source,
      cell: (row) => <SourceText text={row.source} />,
      isOptional: true,
    },
    { key: 'program', title: 'Program', width: 0, value: (row) => row.program, isExportOnly: true },
  ];
}

function scopeColumns(level: string): Column<RooflineRow>[] {
  return [
    {
      key: 'name',
      title: 'Over',
      figure: 'roofline.scope',
      width: 260,
      value: (row) => row.name,
      cell: (row) => <ScopeName row={row} />,
    },
    {
      key: 'total_ps',
      title: 'Time',
      figure: 'roofline.time',
      width: 100,
      kind: 'duration',
      value: (row) => row.total_ps,
    },
    ...rates(level),
    { key: 'flops', title: 'Work', width: 112, kind: 'flops', value: (row) => row.flops },
    { key: 'bytes', title: 'Bytes', width: 100, kind: 'bytes', value: (row) => row.bytes },
  ];
}

function ScopeName(props: { row: RooflineRow }) {
  return (
    <Show
      when={props.row.start_ps !== null && props.row.end_ps !== null}
      fallback={<Middle text={props.row.name} />}
    >
      <a
        href={hrefTo({
          view: 'timeline',
          params: {
            window: formatRange({
              startPs: props.row.start_ps ?? 0,
              endPs: props.row.end_ps ?? 0,
            }),
          },
        })}
      >
        {props.row.name}
      </a>
    </Show>
  );
}

const PEAKS: Column<RooflinePeak>[] = [
  { key: 'chip', title: 'Chip', figure: 'roofline.chip', width: 180, value: (row) => row.chip },
  {
    key: 'level',
    title: 'Peak of',
    figure: 'roofline.level',
    width: 150,
    value: (row) => levelTitle(row.level),
  },
  {
    key: 'per_second',
    title: 'Per second',
    figure: 'roofline.per_second',
    width: 130,
    value: (row) =>
      row.per_second === null
        ? 'unknown'
        : format(row.level === 'compute' ? 'flop_rate' : 'bandwidth', row.per_second),
  },
  {
    key: 'ridge_intensity',
    title: 'Ridge, FLOP/B',
    width: 120,
    value: (row) => row.ridge_intensity?.toPrecision(4) ?? '',
  },
  {
    key: 'device_count',
    title: 'Devices',
    figure: 'roofline.devices',
    width: 80,
    kind: 'count',
    value: (row) => row.device_count,
  },
  {
    key: 'source',
    title: 'From',
    figure: 'roofline.source',
    width: 480,
    value: (row) => row.source,
  },
];

function NoPoints() {
  return (
    <EmptyState title="No op in this selection">
      A roofline needs ops with known work: select more steps, devices or programs, or record while
      steps run.
    </EmptyState>
  );
}
