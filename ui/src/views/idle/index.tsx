/** Gaps on devices: why devices wait, for how long, and each gap with a link to the timeline. */
import { For, Show } from 'solid-js';

import { CAUSES, meaningOf, occurring } from '../../format/causes';
import { hintText } from '../../format/hint';
import { largest } from '../../format/largest';
import { formatLimit } from '../../format/limit';
import { columnScale, formatCount, formatDuration, formatRatio, plural } from '../../format/numbers';
import { summaryOf, titleOf } from '../../shell/session';
import { baseline, getParam, hrefTo, navigate, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { timelineParams } from '../../timeline/link';
import { AnswerView } from '../../widgets/answer';
import { BarRows, MeaningCell, type BarRow } from '../../widgets/bar-rows/bar-rows';
import { DividedBar, Legend } from '../../widgets/bars';
import { EmptyState } from '../../widgets/empty';
import { createFirst, FirstOf } from '../../widgets/first';
import { Middle } from '../../widgets/middle';
import { compareFigure, FigureChange } from '../../widgets/kpi';
import { Hint, hintPage, Remarks, Warnings } from '../../widgets/notes';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { GapRow } from '../../wire/generated/GapRow';
import type { IdleReport } from '../../wire/generated/IdleReport';
import { createReport } from '../../wire/report';
import { declared } from '../../widgets/table/declared';

const COLUMNS = declared<GapRow>('idle.rows', [
  {
    key: 'what',
    width: 280,
    value: (row) => row.what,
    cell: (row) => (
      <Show when={row.what} fallback={<span class="muted">no call recorded</span>}>
        {(what) => <Middle text={what()} isCode />}
      </Show>
    ),
  },
  {
    key: 'duration_ps',
    width: 92,
    scale: 'gap',
    value: (row) => row.duration_ps,
  },
  {
    key: 'cause',
    width: 160,
    value: (row) => meaningOf(CAUSES, row.cause).title,
    cell: (row) => <MeaningCell meaning={meaningOf(CAUSES, row.cause)} />,
  },
  {
    key: 'cause_ps',
    width: 124,
    scale: 'gap',
    value: (row) => row.cause_ps,
  },
  {
    key: 'annotation',
    width: 150,
    value: (row) => row.annotation || null,
    isOptional: true,
  },
  {
    key: 'python',
    width: 220,
    value: (row) => row.python || null,
    cell: (row) => <Middle text={row.python || '–'} isCode />,
    isOptional: true,
  },
  { key: 'device', width: 130, value: (row) => row.device },
  {
    key: 'step',
    width: 70,
    value: (row) => row.step,
    isOptional: true,
  },
  { key: 'start_ps', width: 100, value: (row) => row.start_ps },
]);

export default function IdleView(props: ViewProps) {
  const report = createReport(
    'idle',
    () => props.session,
    () => ({
      ...selectionParams(),
      'min-gap': getParam('min-gap') ?? null,
      cause: getParam('cause') ?? null,
      limit: getParam('limit') ?? null,
    }),
  );
  const table = urlTableState('duration_ps');
  return (
    <AnswerView answer={report}>
      {(data) => (
        <Show when={data().devices.length > 0} fallback={<NoDevice report={data()} />}>
          <div class="page is-filling">
            <Warnings notes={data().notes} />
            <Show when={hasGaps(data())} fallback={<NoGaps report={data()} />}>
              <div class="card-pair is-uneven">
                <Causes report={data()} />
                <Places report={data()} />
              </div>
              <section class="card is-main">
                <DataTable
                  rows={data().rows}
                  rowCount={data().row_count}
                  columns={COLUMNS}
                  state={table}
                  noun="gap"
                  fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-idle`}
                  isFilling
                  onRow={(row) =>
                    navigate({
                      view: 'timeline',
                      params: timelineParams(row.start_ps, row.duration_ps, {
                        place: row.device,
                        slice: row.slice,
                        isIdle: true,
                      }),
                    })
                  }
                  tools={
                    <>
                      <Show when={getParam('cause')}>
                        {(cause) => (
                          <button class="quiet" onClick={() => setParams({ cause: null }, false)}>
                            Only {meaningOf(CAUSES, cause()).title.toLowerCase()} ✕
                          </button>
                        )}
                      </Show>
                      <span class="muted">Click a gap to show it in the timeline</span>
                    </>
                  }
                  empty="No gaps of this length in the selection"
                />
              </section>
            </Show>
            <Remarks notes={data().notes} />
          </div>
        </Show>
      )}
    </AnswerView>
  );
}

/** Whether there is anything to list; a chosen cause or a baseline is shown even where there is not. */
const hasGaps = (report: IdleReport) =>
  report.row_count > 0 ||
  report.causes.length > 0 ||
  baseline() !== null ||
  Boolean(getParam('cause'));

/** Instead of empty cards and an empty table. */
function NoGaps(props: { report: IdleReport }) {
  const sum = (of: 'idle_ps' | 'short_count') =>
    props.report.devices.reduce((total, device) => total + device[of], 0);
  const observed = () => Math.max(...props.report.devices.map((device) => device.window_ps));
  const shortest = () => Math.min(...props.report.devices.map((device) => device.min_gap_ps));
  return (
    <EmptyState
      title={sum('idle_ps') > 0 ? 'No gaps worth listing' : 'Devices are never idle'}
      actions={
        <a class="button" href={hrefTo({ view: 'ops' })}>
          What devices are busy with
        </a>
      }
    >
      {plural(props.report.devices.length, 'device')} observed for {formatDuration(observed())}.{' '}
      <Show when={sum('idle_ps') > 0}>
        {plural(sum('short_count'), 'gap')} shorter than {formatDuration(shortest())} add up to{' '}
        {formatDuration(sum('idle_ps'))}.
      </Show>
    </EmptyState>
  );
}

/** Idle time without a cause. */
const SHORTER = { key: 'short', title: 'Shorter gaps', color: 'var(--line-strong)' };

const CAUSES_AND_SHORTER = [...CAUSES, SHORTER];

function Causes(props: { report: IdleReport }) {
  const window = () => props.report.devices.reduce((sum, row) => sum + row.window_ps, 0);
  const idle = () => props.report.devices.reduce((sum, row) => sum + row.idle_ps, 0);
  /** Gaps too short to ask for their cause; none of them belongs to a chosen one. */
  const short = () => {
    const all = getParam('cause') ? [] : props.report.devices;
    return {
      ps: all.reduce((sum, row) => sum + row.short_ps, 0),
      count: all.reduce((sum, row) => sum + row.short_count, 0),
    };
  };
  const shortest = () => formatLimit(Math.max(...props.report.devices.map((row) => row.min_gap_ps)));
  const times = () =>
    columnScale(
      'duration',
      props.report.causes.flatMap((row) => [row.total_ps, row.longest_ps]),
    );
  return (
    <section class="card">
      <header>
        <h2 data-figure="idle.rows.cause">Why devices wait</h2>
        <span class="spacer" />
        <span class="muted number" data-figure="idle.devices.idle_ps">
          idle {formatRatio(window() > 0 ? idle() / window() : null)} of {formatDuration(window())}
        </span>
      </header>
      <div class="card-body">
        <DividedBar
          isTall
          total={window()}
          tip="Idle time by cause; the rest is busy time"
          pieces={[
            ...props.report.causes.map((row) => ({
              title: meaningOf(CAUSES, row.cause).title,
              value: row.total_ps,
              color: meaningOf(CAUSES, row.cause).color,
            })),
            { ...SHORTER, value: short().ps },
          ]}
        />
        <table class="cause-table">
          <thead>
            <tr>
              <th>Cause</th>
              <th class="number">{times().unit}</th>
              <th class="number">Share</th>
              <th class="number">Gaps</th>
              <th class="number">Longest</th>
              <th>
                <span class="unseen">Meaning</span>
              </th>
            </tr>
          </thead>
          <tbody>
            <For each={props.report.causes}>
              {(row) => (
                <tr>
                  <td data-tip={hintText(row.remedy, hintPage(), titleOf)}>
                    <a href={hrefTo({ view: 'idle', params: { cause: row.cause } })}>
                      <MeaningCell meaning={meaningOf(CAUSES, row.cause)} />
                    </a>
                  </td>
                  <td class="number">{times().text(row.total_ps)}</td>
                  <td class="number">
                    {formatRatio(row.window_ratio)}
                    <FigureChange
                      compare={compareFigure(
                        props.report,
                        (report: IdleReport) =>
                          report.causes.find((other) => other.cause === row.cause)?.window_ratio,
                        'idle.causes.window_ratio',
                      )}
                    />
                  </td>
                  <td class="number">{row.count > 0 ? formatCount(row.count) : '–'}</td>
                  <td class="number">{row.count > 0 ? times().text(row.longest_ps) : '–'}</td>
                  <td>{row.meaning}</td>
                </tr>
              )}
            </For>
            <Show when={short().ps > 0}>
              <tr>
                <td>
                  <MeaningCell meaning={SHORTER} />
                </td>
                <td class="number">{times().text(short().ps)}</td>
                <td class="number">{formatRatio(window() > 0 ? short().ps / window() : null)}</td>
                <td class="number">{formatCount(short().count)}</td>
                <td class="number">–</td>
                <td>shorter than {shortest()}, without a cause</td>
              </tr>
            </Show>
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Devices that are listed at first. */
const DEVICES = 16;

/** The time of gaps by cause, and what no cause was looked for. */
const withShorter = (causesPs: readonly number[], totalPs: number): number[] => [
  ...causesPs,
  Math.max(0, Math.round(totalPs - causesPs.reduce((sum, ps) => sum + ps, 0))),
];

/** Idle time by device, and by length of the gap. */
function Places(props: { report: IdleReport }) {
  const shown = createFirst(() => props.report.devices, DEVICES, (row) => row.idle_ps);
  const devices = (): BarRow[] =>
    shown.rows().map((row) => ({
      label: row.device,
      values: withShorter(row.causes_ps, row.idle_ps),
      text: `${formatRatio(row.idle_ratio)}, ${plural(row.gap_count, 'gap')}`,
      tip: `idle ${formatDuration(row.idle_ps)} of ${formatDuration(row.window_ps)}; ${plural(row.short_count, 'shorter gap')}: ${formatDuration(row.short_ps)}`,
    }));
  const lengths = (): BarRow[] => {
    const buckets = props.report.buckets;
    const first = buckets.findIndex((bucket) => bucket.count > 0);
    const last = buckets.findLastIndex((bucket) => bucket.count > 0);
    return buckets.slice(Math.max(0, first), last + 1).map((bucket) => ({
      label:
        bucket.to_ps === null
          ? `from ${formatLimit(bucket.from_ps)}`
          : `to ${formatLimit(bucket.to_ps)}`,
      values: withShorter(bucket.causes_ps, bucket.total_ps),
      text: `${formatDuration(bucket.total_ps)}, ${plural(bucket.count, 'gap')}`,
    }));
  };
  const longest = () => largest(props.report.devices, (row) => row.window_ps);
  return (
    <section class="card">
      <header>
        <h2>By device</h2>
        <span class="spacer" />
        <Legend
          entries={occurring(
            CAUSES_AND_SHORTER,
            [...devices(), ...lengths()].map((row) => row.values),
          )}
        />
      </header>
      <div class="card-body">
        <BarRows rows={devices()} meanings={CAUSES_AND_SHORTER} total={longest()} />
        <FirstOf first={shown} noun="device" which="most idle" />
        <Show when={lengths().length > 0}>
          <h3 data-figure="idle.buckets">By gap length</h3>
          <BarRows rows={lengths()} meanings={CAUSES_AND_SHORTER} />
        </Show>
      </div>
    </section>
  );
}

function NoDevice(props: { report: IdleReport }) {
  const note = () => props.report.notes[0];
  return (
    <EmptyState title="No device work">
      {note()?.text ?? 'Without device work, there are no gaps.'}{' '}
      <Show when={note()?.hint}>{(hint) => <Hint hint={hint()} />}</Show>
    </EmptyState>
  );
}
