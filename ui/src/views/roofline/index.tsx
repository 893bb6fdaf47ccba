/** The roofline of every op, program and step, with the peaks of the chip and their sources. */
import { createMemo, For, Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { format, formatCount, formatRatio, plural } from '../../format/numbers';
import { sentence } from '../../format/text';
import { CLASS_TITLES, classColor, classTitle } from '../../format/palette';
import { summaryOf } from '../../shell/session';
import { getParam, hrefTo, select, setParams, utilizationParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView, ClearSelection } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { colorMeaning, LegendLine, type Meaning } from '../../widgets/legend-line';
import { Remarks, Warnings } from '../../widgets/notes';
import { OneOnly } from '../../widgets/one-only';
import { OpLinks, opMenu } from '../../widgets/op-links';
import { localTableState, urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabbed, urlTab } from '../../widgets/tabs/tabbed';
import type { RooflineReport } from '../../wire/generated/RooflineReport';
import type { RooflineRow } from '../../wire/generated/RooflineRow';
import { createReport } from '../../wire/report';
import { levelTitle, plottable, plotted, RooflineChart } from './chart';
import { intensityOf } from './tip';
import { opColumns, PEAKS, scopeColumns } from './columns';
import { ModelFlopsField } from './model-flops';
import { formatRegion, parseRegion, rowsWithin, type Region } from './region';
import './roofline.css';

const LIMIT = 5000;

/** Identifies an op in the URL. */
const identity = (row: RooflineRow) => `${row.program_id}/${row.name}`;

const COMPARE = {
  scopes: compareTable('roofline.scopes', (report: RooflineReport) => report.scopes),
};

export default function RooflineView(props: ViewProps) {
  const report = createReport(
    'roofline',
    () => props.session,
    () => ({
      ...utilizationParams(),
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

function Body(props: { report: RooflineReport; session: string }) {
  const levels = () => ['all', ...props.report.levels];
  const level = () => levels().find((name) => name === getParam('level')) ?? 'all';
  const shown = createMemo(() => props.report.rows.find((row) => identity(row) === getParam('op')));
  const show = (row: RooflineRow | undefined) =>
    setParams({ op: row && row !== shown() ? identity(row) : null }, false);
  const region = createMemo(() =>
    parseRegion({ box: getParam('box'), lasso: getParam('lasso') }),
  );
  const marks = () =>
    props.report.scopes.filter((row) => row.kind !== 'step' || props.report.scopes.length < 40);
  const shownMarks = createMemo(() => plotted(marks(), level()));
  const points = createMemo(() => plotted(props.report.rows, level()));
  /** How many ops the chart shows, of those that it could show, of all. */
  const knownText = (known: number) =>
    known > points().length
      ? `${formatCount(points().length)} largest of ${plural(known, 'op')} with known FLOPs`
      : `${formatCount(known)} of ${plural(props.report.row_count, 'op')} with known FLOPs`;
  /** Most programs have none; where they are excluded, they can be included again. */
  const hasInfeed = () =>
    getParam('infeed') !== undefined ||
    props.report.rows.some(({ category }) => /^(in|out)feed\b/.test(category));
  const classes = createMemo(() =>
    Object.keys(CLASS_TITLES).filter((name) => points().some((row) => row.class === name)),
  );
  const meanings = createMemo(() => [
    ...classes().map((name) => colorMeaning(classTitle(name), classColor(name), 'roofline-class')),
    ...MARKS.filter(([kind]) => shownMarks().some((row) => row.kind === kind)).map(markMeaning),
  ]);
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
                  {sentence(levelTitle(name))}
                </button>
              )}
            </For>
          </span>
          <Toggle name="idle" title="Idle time" />
          <Show when={hasInfeed()}>
            <Toggle name="infeed" title="Infeed and outfeed" />
          </Show>
          <ModelFlopsField />
          <div class="roofline-key muted">
            <span data-tip="The size of a point is its share of time; the table has all ops">
              {knownText(plottable(props.report.rows, level()).length)}
            </span>
            <LegendLine entries={meanings()} />
          </div>
        </div>
        <Show when={points().length + shownMarks().length > 0} fallback={<NothingPlotted level={level()} />}>
          <RooflineChart
            rows={props.report.rows}
            scopes={marks()}
            peaks={props.report.peaks}
            level={level()}
            selected={shown()}
            onSelect={show}
            region={region()}
            onRegion={(next) => setParams({ ...formatRegion(next) }, false)}
          />
        </Show>
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
        region={region()}
        shown={shown()}
        show={show}
      />
    </>
  );
}

/** In place of roofs with nothing below them. */
function NothingPlotted(props: { level: string }) {
  return (
    <div class="card-body">
      <OneOnly
        text={
          <Show
            when={props.level === 'all'}
            fallback={`No op has known FLOPs and bytes of ${levelTitle(props.level)}.`}
          >
            No op has known FLOPs and bytes, so none has a place below the roof: they come from the
            HLO of programs compiled by XLA. Peaks, below, lists the rates of the chip.
          </Show>
        }
        actions={
          <Show
            when={props.level === 'all'}
            fallback={
              <button onClick={() => setParams({ level: null }, false)}>Count all bytes</button>
            }
          >
            <a class="button" href={hrefTo({ view: 'ops' })}>
              Ops by time
            </a>
          </Show>
        }
      />
    </div>
  );
}

const MARKS = [
  ['total', 'Total'],
  ['program', 'Program'],
  ['average', 'Mean step'],
  ['step', 'Step'],
] as const;

/** What a mark of ops summed up stands for. */
const markMeaning = ([kind, title]: (typeof MARKS)[number]): Meaning => ({
  title,
  mark: () => (
    <svg width="12" height="12" aria-hidden="true">
      <path class={`roofline-mark is-${kind}`} d="M6 0 l6 6 l-6 6 l-6 -6 z" />
    </svg>
  ),
});

/** A checkbox that is on by default. */
function Toggle(props: { name: 'idle' | 'infeed'; title: string }) {
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
  session: string;
  level: string;
  region: Region | null;
  shown: RooflineRow | undefined;
  show: (row: RooflineRow) => void;
}) {
  const compareOps = compareTable('roofline.rows', (report: RooflineReport) => report.rows, {
    among: () => props.report.rows,
  });
  const rows = createMemo(() =>
    props.region
      ? rowsWithin(props.report.rows, props.region, (row) => intensityOf(row, props.level))
      : props.report.rows,
  );
  const table = urlTableState('self_ps');
  const steps = localTableState('');
  const peaks = localTableState('');
  const name = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}-roofline`;
  return (
    <Tabbed
      label="Table"
      state={urlTab()}
      tabs={[
        {
          name: 'ops',
          title: 'Ops',
          body: (tools) => (
            <DataTable
              rows={rows()}
              {...(props.region ? {} : { rowCount: props.report.row_count })}
              columns={opColumns(props.level)}
              state={table}
              noun="op"
              compare={compareOps}
              fileName={name()}
              isFilling
              onRow={props.show}
              isSelected={(row) => row === props.shown}
              menu={(row) => opMenu(row.name, row.program_id, 'elsewhere')}
              onPromoteQuery={(query) => select('match', query)}
              tools={
                <>
                  {tools()}
                  <Show
                    when={props.region}
                    fallback={
                      <Show when={plotted(props.report.rows, props.level).length > 0}>
                        <span class="muted" data-tip="Shift+drag for a rectangle">
                          Draw around ops to list them
                        </span>
                      </Show>
                    }
                  >
                    {(region) => (
                      <button onClick={() => setParams({ ...formatRegion(null) }, false)}>
                        Only in the {region().shape} ✕
                      </button>
                    )}
                  </Show>
                </>
              }
              empty={`No op is in the ${props.region?.shape ?? 'selection'}`}
            />
          ),
        },
        {
          name: 'steps',
          title: 'Total, programs, steps',
          body: (tools) => (
            <DataTable
              rows={props.report.scopes}
              columns={scopeColumns(props.level)}
              state={steps}
              noun="point"
              compare={COMPARE.scopes}
              fileName={`${name()}-steps`}
              isFilling
              tools={tools()}
            />
          ),
        },
        {
          name: 'peaks',
          title: 'Peaks',
          body: (tools) => (
            <DataTable
              rows={props.report.peaks}
              columns={PEAKS}
              state={peaks}
              noun="peak"
              fileName={`${name()}-peaks`}
              isFilling
              tools={tools()}
            />
          ),
        },
      ]}
    />
  );
}

function NoPoints() {
  return (
    <EmptyState title="No ops in this selection" actions={<ClearSelection />}>
      A roofline needs ops with known work: select more steps, devices or programs, or record while
      steps run.
    </EmptyState>
  );
}
