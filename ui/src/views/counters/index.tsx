/** Hardware counters over time, and the utilization of TPU units from its registers. */
import { createMemo, createSignal, For, Show, type JSX } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { valueText } from '../../format/counter-value';
import { codeOf } from '../../format/hint';
import { formatRatio, plural } from '../../format/numbers';
import { useColor } from '../../format/heat';
import { formatRange, parseRange } from '../../timeline/address';
import type { TimeWindow } from '../../timeline/viewport';
import { summaryOf } from '../../shell/session';
import { parsePattern } from '../../format/pattern';
import { getParam, hrefTo, select, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { ShareCell } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { Middle } from '../../widgets/middle';
import { Remarks, Warnings } from '../../widgets/notes';
import { SearchField } from '../../widgets/search-field';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabbed, urlTab } from '../../widgets/tabs/tabbed';
import type { CounterRow } from '../../wire/generated/CounterRow';
import type { CountersReport } from '../../wire/generated/CountersReport';
import type { UtilizationRow } from '../../wire/generated/UtilizationRow';
import { createReport } from '../../wire/report';
import { CounterChart } from './chart';
import { titlesOf } from './line';
import './counters.css';
import { declared, type Layout } from '../../widgets/table/declared';

const LIMIT = 2000;
/** Number of charts shown; the table has all counters. */
const MOST_CHARTS = 60;

const COMPARE = {
  counters: compareTable('counters.rows', (report: CountersReport) => report.rows),
  use: compareTable('counters.utilization', (report: CountersReport) => report.utilization),
};

export default function CountersView(props: ViewProps) {
  const report = createReport(
    'counters',
    () => props.session,
    () => ({ ...selectionParams(), limit: LIMIT }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show when={data().rows.length > 0} fallback={<NoCounters report={data()} />}>
          <div class="page is-filling">
            <Warnings notes={data().notes} />
            <Body report={data()} session={props.session} />
            <Remarks notes={data().notes} />
          </div>
        </Show>
      )}
    </AnswerView>
  );
}

function Body(props: { report: CountersReport; session: string }) {
  const hasUse = () => props.report.utilization.length > 0;
  const usual = () => {
    if (props.report.rows.some((row) => row.sample_count > 1)) return 'charts';
    return hasUse() ? 'utilization' : 'table';
  };
  const table = urlTableState('');
  const name = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}-counters`;
  return (
    <Tabbed
      label="Show as"
      state={urlTab()}
      usual={usual()}
      tabs={[
        {
          name: 'charts',
          title: 'Charts',
          isBare: true,
          body: (tools) => <Charts report={props.report} tools={tools} />,
        },
        {
          name: 'table',
          title: 'Counters',
          count: () => props.report.row_count,
          body: (tools) => (
            <DataTable
              rows={props.report.rows}
              rowCount={props.report.row_count}
              columns={COLUMNS}
              state={table}
              noun="counter"
              compare={COMPARE.counters}
              fileName={name()}
              isFilling
              onPromoteQuery={(query) => select('match', query)}
              tools={tools()}
            />
          ),
        },
        {
          name: 'utilization',
          title: 'Utilization',
          has: hasUse,
          body: (tools) => (
            <DataTable
              rows={props.report.utilization}
              columns={RATIOS}
              state={table}
              noun="ratio"
              compare={COMPARE.use}
              fileName={`${name()}-use`}
              isFilling
              tools={tools()}
            />
          ),
        },
      ]}
    />
  );
}

function Charts(props: { report: CountersReport; tools: () => JSX.Element }) {
  const [atPs, setAtPs] = createSignal<number | null>(null);
  const [query, setQuery] = createSignal('');
  const whole = (): TimeWindow => ({
    startPs: props.report.start_ps,
    endPs: Math.max(props.report.end_ps, props.report.start_ps + 1),
  });
  const shown = () => parseRange(getParam('window')) ?? whole();
  const isZoomed = () => parseRange(getParam('window')) !== null;
  const zoom = (window: TimeWindow | null) =>
    setParams({ window: window === null ? null : formatRange(window) }, false);
  const matching = createMemo(() => {
    const { test } = parsePattern(query());
    const courses = props.report.rows.filter((row) => row.sample_count > 1);
    const rows = courses.length > 0 ? courses : props.report.rows;
    return rows.filter((row) =>
      [row.name, row.device, row.description].some(test),
    );
  });
  const titles = createMemo(() => titlesOf(matching().map((row) => row.name)));
  return (
    <>
      <div class="counters-bar">
        <SearchField
          label="Find counters"
          placeholder="Find counters: text or pattern"
          value={query()}
          onInput={setQuery}
        />
        {props.tools()}
        <span class="muted">Drag to zoom all charts, double-click to reset</span>
        <span class="spacer" />
        <Show when={matching().length > MOST_CHARTS}>
          <span class="muted">
            first {MOST_CHARTS} of {plural(matching().length, 'counter')}
          </span>
        </Show>
        <Show when={isZoomed()}>
          <button class="quiet" onClick={() => zoom(null)}>
            Reset zoom
          </button>
        </Show>
        <a
          class="button"
          href={hrefTo({ view: 'timeline', params: { window: formatRange(shown()) } })}
        >
          Show in timeline
        </a>
      </div>
      <div class="counters is-main" role="tabpanel" aria-label="Charts">
        <For each={matching().slice(0, MOST_CHARTS)}>
          {(row) => (
            <CounterChart
              row={row}
              title={titles().get(row.name) ?? row.name}
              window={shown()}
              atPs={atPs()}
              onPoint={setAtPs}
              onZoom={zoom}
            />
          )}
        </For>
      </div>
    </>
  );
}

const figure = (key: 'min' | 'mean' | 'max' | 'last'): Layout<CounterRow> => ({
  key,
  width: 120,
  value: (row) => row[key],
  cell: (row) => (
    <span data-tip={key === 'mean' ? undefined : `exactly ${row[`${key}_exact`]}`}>
      {valueText(row[key], '')}
    </span>
  ),
});

const COLUMNS = declared<CounterRow>('counters.rows', [
  {
    key: 'name',
    width: 380,
    value: (row) => row.name,
    cell: (row) => <Middle text={row.name} isCode />,
  },
  { key: 'device', width: 110, value: (row) => row.device || row.host },
  {
    key: 'unit',
    width: 90,
    value: (row) => row.unit,
    isOptional: true,
  },
  {
    key: 'sample_count',
    width: 84,
    value: (row) => row.sample_count,
  },
  figure('min'),
  figure('mean'),
  figure('max'),
  figure('last'),
  {
    key: 'line',
    width: 150,
    value: (row) => row.line,
    isOptional: true,
  },
  {
    key: 'register',
    width: 110,
    value: (row) => row.register,
    isOptional: true,
  },
  {
    key: 'last_exact',
    width: 0,
    value: (row) => row.last_exact,
    isExportOnly: true,
  },
  {
    key: 'description',
    width: 260,
    value: (row) => row.description,
    isOptional: true,
  },
]);

const RATIOS = declared<UtilizationRow>('counters.utilization', [
  {
    key: 'name',
    width: 220,
    value: (row) => row.name,
  },
  { key: 'unit', width: 150, value: (row) => row.unit },
  {
    key: 'ratio',
    width: 150,
    value: (row) => row.ratio,
    cell: (row) => (
      <ShareCell
        ratio={row.ratio}
        text={formatRatio(row.ratio)}
        color={useColor(row.ratio ?? 0)}
      />
    ),
  },
  {
    key: 'achieved',
    width: 130,
    value: (row) => row.achieved,
    cell: (row) => valueText(row.achieved, row.measure),
  },
  {
    key: 'peak',
    width: 130,
    value: (row) => row.peak,
    cell: (row) => valueText(row.peak, row.measure),
  },
  { key: 'device', width: 90, value: (row) => row.device },
  { key: 'line', width: 150, value: (row) => row.line },
  {
    key: 'peak_source',
    width: 420,
    value: (row) => row.peak_source,
  },
]);

function NoCounters(props: { report: CountersReport }) {
  const advice = () => props.report.notes.slice(1);
  return (
    <EmptyState
      title={
        Object.keys(selectionParams()).length > 0
          ? 'No counters in this selection'
          : 'No counters in this profile'
      }
      code={codeOf(advice()[0]?.hint ?? '')}
    >
      <For each={props.report.notes}>{(note) => <span>{note.text} </span>}</For>
    </EmptyState>
  );
}
