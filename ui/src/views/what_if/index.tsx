/** How long steps would take with changes, and which single causes would gain most. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { meaningOf } from '../../format/causes';
import { formatDuration, formatRatio } from '../../format/numbers';
import { shortNames } from '../../format/short-name';
import { WAIT_KINDS } from '../../format/waits';
import { summaryOf } from '../../shell/session';
import { getParam, hrefTo, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { BarRows, MeaningCell } from '../../widgets/bar-rows/bar-rows';
import { Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { KpiCard } from '../../widgets/kpi';
import { Middle } from '../../widgets/middle';
import { Remarks, Warnings } from '../../widgets/notes';
import { declared } from '../../widgets/table/declared';
import type { Column } from '../../widgets/table/rows';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import { Tabbed, urlTab } from '../../widgets/tabs/tabbed';
import type { WhatIfKindRow } from '../../wire/generated/WhatIfKindRow';
import type { WhatIfLane } from '../../wire/generated/WhatIfLane';
import type { WhatIfReport } from '../../wire/generated/WhatIfReport';
import type { WhatIfRow } from '../../wire/generated/WhatIfRow';
import type { WhatIfStepRow } from '../../wire/generated/WhatIfStepRow';
import { createReport } from '../../wire/report';
import { factored, nearestStop } from './factor';
import { changeWords, nameIn } from './plain-change';
import { Picture } from './picture-view';
import './what_if.css';

/** Columns of causes; kernels with long C++ names are named as briefly as in Kernels. */
function rowColumns(rows: readonly WhatIfRow[]): Column<WhatIfRow>[] {
  const short = shortNames(rows.map((row) => nameIn(row.change)).filter(Boolean));
  const shown = (change: string) => {
    const name = nameIn(change);
    const words = changeWords(change);
    return name === '' ? words : words.replace(name, () => short.get(name) ?? name);
  };
  // Where the recording leaves nothing open, both bounds are the gain.
  const isExportOnly = rows.every(
    ({ gain_ps: gain, low_gain_ps: low, high_gain_ps: high }) => low === gain && high === gain,
  );
  return declared<WhatIfRow>('what_if.rows', [
    {
      key: 'change',
      width: 340,
      value: (row) => row.change,
      cell: (row) => {
        const words = shown(row.change);
        return <Middle text={words} full={words === row.change ? undefined : row.change} />;
      },
    },
    { key: 'gain_ps', width: 110, scale: 'time', value: (row) => row.gain_ps },
    { key: 'gain_ratio', width: 80, value: (row) => row.gain_ratio },
    { key: 'low_gain_ps', width: 100, scale: 'time', value: (row) => row.low_gain_ps, isExportOnly },
    { key: 'high_gain_ps', width: 100, scale: 'time', value: (row) => row.high_gain_ps, isExportOnly },
    { key: 'half_gain_ps', width: 100, scale: 'time', value: (row) => row.half_gain_ps },
    { key: 'after_ps', width: 120, scale: 'time', value: (row) => row.after_ps },
  ]);
}

const STEPS = declared<WhatIfStepRow>('what_if.steps', [
  { key: 'step', width: 70, value: (row) => row.step },
  { key: 'duration_ps', width: 110, scale: 'time', value: (row) => row.duration_ps },
  { key: 'after_ps', width: 110, scale: 'time', value: (row) => row.after_ps },
  { key: 'gain_ps', width: 110, scale: 'time', value: (row) => row.gain_ps },
  { key: 'low_ps', width: 110, scale: 'time', value: (row) => row.low_ps },
  { key: 'high_ps', width: 110, scale: 'time', value: (row) => row.high_ps },
]);

const KINDS = declared<WhatIfKindRow>('what_if.kinds', [
  {
    key: 'kind',
    width: 120,
    value: (row) => row.kind,
    cell: (row) => <MeaningCell meaning={meaningOf(WAIT_KINDS, row.kind)} />,
  },
  { key: 'before_ps', width: 110, scale: 'time', value: (row) => row.before_ps },
  { key: 'after_ps', width: 110, scale: 'time', value: (row) => row.after_ps },
  { key: 'what', width: 360, value: (row) => row.what || null },
]);

const LANES = declared<WhatIfLane>('what_if.lanes', [
  { key: 'device', width: 130, value: (row) => row.device },
  { key: 'is_communication', width: 130, value: (row) => (row.is_communication ? 'yes' : 'no') },
  { key: 'before_busy_ps', width: 120, scale: 'time', value: (row) => row.before_busy_ps },
  { key: 'after_busy_ps', width: 120, scale: 'time', value: (row) => row.after_busy_ps },
  { key: 'before_end_ps', width: 120, scale: 'time', value: (row) => row.before_end_ps },
  { key: 'after_end_ps', width: 120, scale: 'time', value: (row) => row.after_end_ps },
  { key: 'removed', width: 90, value: (row) => row.removed },
  { key: 'shorter', width: 90, value: (row) => row.shorter },
  { key: 'longer', width: 90, value: (row) => row.longer },
]);

/** The changes of the link. */
const changes = (): string[] =>
  (getParam('change') ?? '')
    .split(';')
    .map((change) => change.trim())
    .filter(Boolean);
const setChanges = (all: readonly string[]) => setParams({ change: all.join('; ') }, false);

export default function WhatIfView(props: ViewProps) {
  const report = createReport(
    'what_if',
    () => props.session,
    () => ({
      ...selectionParams(),
      change: changes().join(';') || null,
      limit: getParam('limit') ?? null,
    }),
  );
  return (
    <div class="page is-filling">
      <Changes offers={report.data()?.offers ?? []} />
      <AnswerView answer={report}>
        {(data) => (
          <Show when={data().is_admitted} fallback={<Refused report={data()} />}>
            <Warnings notes={data().notes} />
            <Figures report={data()} />
            <Tables report={data()} session={props.session} />
            <Remarks notes={data().notes} />
          </Show>
        )}
      </AnswerView>
    </div>
  );
}

/** What would be different: a field of text, what is chosen, and changes to try with one click. */
function Changes(props: { offers: readonly string[] }) {
  const [text, setText] = createSignal('');
  const add = (change: string) => {
    const wanted = change.trim();
    if (wanted !== '' && !changes().includes(wanted)) setChanges([...changes(), wanted]);
    setText('');
  };
  return (
    <form
      class="what-if-changes"
      onSubmit={(event) => {
        event.preventDefault();
        add(text());
      }}
    >
      <For each={changes()}>
        {(change) => (
          <span class="what-if-change">
            <button
              type="button"
              aria-label={`Remove the change ${changeWords(change)}`}
              data-tip={change}
              onClick={() => setChanges(changes().filter((other) => other !== change))}
            >
              {changeWords(change)} ✕
            </button>
            <FactorSlider change={change} />
          </span>
        )}
      </For>
      <input
        type="text"
        aria-label="Change"
        placeholder="Change, such as remove:PATTERN or scale:attention:0.5"
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <For each={props.offers.filter((offer) => !changes().includes(offer))}>
        {(offer) => (
          <button type="button" class="quiet" data-tip={offer} onClick={() => add(offer)}>
            + {changeWords(offer)}
          </button>
        )}
      </For>
    </form>
  );
}

/** A slider for the factor of a change; nothing for changes without one. */
function FactorSlider(props: { change: string }) {
  const parts = () => factored(props.change);
  return (
    <Show when={parts()}>
      {(found) => (
        <input
          type="range"
          min={0}
          max={found().stops.length - 1}
          value={nearestStop(found().stops, found().factor)}
          aria-label={`Factor of: ${changeWords(props.change)}`}
          aria-valuetext={`${found().factor}`}
          data-tip="Drag to try another factor"
          onChange={(event) => {
            const factor = found().stops[Number(event.currentTarget.value)] ?? found().factor;
            const next = `${found().prefix}${factor}`;
            setChanges(changes().map((other) => (other === props.change ? next : other)));
          }}
        />
      )}
    </Show>
  );
}

function Refused(props: { report: WhatIfReport }) {
  return (
    <EmptyState
      title="No answer for this session"
      actions={<a href={hrefTo({ view: 'steps' })}>Show the steps</a>}
    >
      {props.report.refusal}
    </EmptyState>
  );
}

function Figures(props: { report: WhatIfReport }) {
  const range = () => {
    const { low_ps: low, high_ps: high } = props.report;
    if (low === null || high === null || low === high) return 'exact while the schedule is kept';
    return `${formatDuration(low)} to ${formatDuration(high)}`;
  };
  /** The length of a step, where the time to the next one makes a visible difference. */
  const between = () => {
    const { before_ps: before, step_ps: step } = props.report;
    return formatDuration(before) === formatDuration(step)
      ? ''
      : `, ${formatDuration(step)} of it within the step`;
  };
  const gained = () => {
    const { before_ps: before, after_ps: after } = props.report;
    return before && after !== null ? (before - after) / before : null;
  };
  return (
    <>
      <div class="kpi-row">
        <KpiCard
          value={formatDuration(props.report.before_ps)}
          detail={<>as recorded{between()}</>}
          figure="what_if.before_ps"
        />
        <Show when={props.report.after_ps !== null}>
          <KpiCard
            value={formatDuration(props.report.after_ps)}
            detail={<>{range()}</>}
            figure="what_if.after_ps"
          />
          <KpiCard title="Gain" value={formatRatio(gained())} figure="what_if.rows.gain_ratio" />
        </Show>
        <KpiCard
          value={formatRatio(props.report.error_ratio)}
          detail={<>accepted up to 0.5 %</>}
          figure="what_if.error_ratio"
        />
      </div>
      <Show when={props.report.picture}>{(picture) => <Picture picture={picture()} />}</Show>
      <Show when={props.report.kinds.length > 0}>
        <Paths report={props.report} />
      </Show>
    </>
  );
}

/** The critical path before and after, on one scale. */
function Paths(props: { report: WhatIfReport }) {
  const values = (of: (row: WhatIfKindRow) => number) =>
    WAIT_KINDS.map(({ key }) => {
      const row = props.report.kinds.find((row) => row.kind === key);
      return row ? of(row) : 0;
    });
  const bar = (label: string, all: number[]) => ({
    label,
    values: all,
    text: formatDuration(Math.round(all.reduce((sum, value) => sum + value, 0))),
  });
  return (
    <section class="card">
      <header>
        <h2>Critical path</h2>
        <span class="muted">mean step, on the device that ends last</span>
        <span class="spacer" />
        <Legend entries={[...WAIT_KINDS]} />
      </header>
      <div class="card-body">
        <BarRows
          meanings={WAIT_KINDS}
          rows={[
            bar(
              'Recorded',
              values((row) => row.before_ps),
            ),
            bar(
              'Changed',
              values((row) => row.after_ps),
            ),
          ]}
        />
      </div>
    </section>
  );
}

function Tables(props: { report: WhatIfReport; session: string }) {
  const state = { rows: urlTableState('gain_ps'), steps: urlTableState('-step') };
  const kinds = urlTableState('before_ps');
  const lanes = urlTableState('device');
  const file = (name: string) =>
    `stepscope-${summaryOf(props.session)?.name ?? 'session'}-what-if-${name}`;
  const hasChanges = () => props.report.changes.length > 0;
  const columns = createMemo(() => rowColumns(props.report.rows));
  return (
    <Tabbed
      label="Table"
      state={urlTab()}
      tabs={[
        {
          name: 'causes',
          title: hasChanges() ? 'Changes' : 'Largest causes',
          count: () => props.report.row_count,
          body: (tools) => (
            <DataTable
              rows={props.report.rows}
              rowCount={props.report.row_count}
              columns={columns()}
              state={state.rows}
              noun={hasChanges() ? 'change' : 'cause'}
              fileName={file('causes')}
              isFilling
              onRow={(row) => setChanges([row.change])}
              tools={tools()}
              empty="No single cause gains anything"
            />
          ),
        },
        {
          name: 'steps',
          title: 'Steps',
          has: hasChanges,
          count: () => props.report.steps.length,
          body: (tools) => (
            <DataTable
              rows={props.report.steps}
              columns={STEPS}
              state={state.steps}
              noun="step"
              fileName={file('steps')}
              isFilling
              tools={tools()}
            />
          ),
        },
        {
          name: 'kinds',
          title: 'Path by kind',
          has: hasChanges,
          count: () => props.report.kinds.length,
          body: (tools) => (
            <DataTable
              rows={props.report.kinds}
              columns={KINDS}
              state={kinds}
              noun="kind"
              fileName={file('kinds')}
              isFilling
              tools={tools()}
            />
          ),
        },
        {
          name: 'devices',
          title: 'Devices',
          has: hasChanges,
          count: () => props.report.picture?.lanes.length ?? 0,
          body: (tools) => (
            <DataTable
              rows={props.report.picture?.lanes ?? []}
              columns={LANES}
              state={lanes}
              noun="lane"
              fileName={file('devices')}
              isFilling
              tools={tools()}
            />
          ),
        },
      ]}
    />
  );
}
