/** How each method scales with more devices, and what limits the next doubling. */
import { createMemo, For, Show } from 'solid-js';

import { formatDuration, formatRatio, plural } from '../../format/numbers';
import { PARTS } from '../../format/palette';
import { withUnits } from '../../format/units';
import { KEY } from '../../shell/hash';
import { COMPARE_VIEW, sessionCalled, sessions } from '../../shell/session';
import { getParam, hrefTo, selectionParams, setParams } from '../../shell/state';
import { AnswerView } from '../../widgets/answer';
import { DividedBar, Legend, RatioBar } from '../../widgets/bars';
import { Remarks, Warnings } from '../../widgets/notes';
import { seriesColor } from '../../widgets/chart/series';
import { OneOnly } from '../../widgets/one-only';
import { Popover } from '../../widgets/popover';
import type { Column } from '../../widgets/table/rows';
import { localTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { ScalingMethod } from '../../wire/generated/ScalingMethod';
import type { ScalingReport } from '../../wire/generated/ScalingReport';
import type { ScalingRow } from '../../wire/generated/ScalingRow';
import { urlOf } from '../../wire/client';
import { createAnswer } from '../../wire/report';
import { ScalingChart } from './chart';
import { formatTimes, linesOf, measureOf, MEASURES, oneCountText } from './lines';
import './scaling.css';
import { declared, type Layout } from '../../widgets/table/declared';

/** Keys of the sessions that are included; empty for all. */
const chosen = () => (getParam('sessions') ?? '').split(',').filter((key) => KEY.test(key));

/** Sessions that can be included. */
const candidates = createMemo(() =>
  (sessions.data()?.sessions ?? []).filter(
    (session) => session.state !== 'failed' && session.kind !== 'memory' && session.kind !== 'programs',
  ),
);

export default function ScalingView() {
  const url = () => {
    const { steps, time, device, host, program } = selectionParams();
    const options = {
      steps,
      time,
      device,
      host,
      program,
      weak: getParam('weak'),
      method: getParam('method'),
      batch: getParam('batch'),
    };
    const path = urlOf('api/comparisons/scaling', options);
    const named = chosen().map((key) => `session=${key}`);
    return [path, ...named].join('&').replace(/^([^?&]*)&/, '$1?');
  };
  const report = createAnswer<ScalingReport>(url);
  return (
    <AnswerView answer={report}>
      {(data) => (
        <div class="page">
          <Warnings notes={data().notes} />
          <Curves report={data()} />
          <Limits report={data()} />
          <Rows report={data()} />
          <Remarks notes={data().notes} />
        </div>
      )}
    </AnswerView>
  );
}

function Curves(props: { report: ScalingReport }) {
  const all = createMemo(() => linesOf(props.report));
  /** A single point has no curve. */
  const lines = createMemo(() => all().filter((line) => line.rows.length > 1));
  const hasCurves = () => lines().length > 0;
  const alone = () => all().filter((line) => line.rows.length === 1);
  const measure = () => measureOf(getParam('measure'));
  return (
    <section class="card">
      <header>
        <h2>{hasCurves() ? `${measure().title} by device count` : 'Scaling'}</h2>
        <span class="muted">{plural(props.report.samples.length, 'sample')}</span>
        <span class="spacer" />
        <Controls report={props.report} hasCurves={hasCurves()} />
      </header>
      <Show when={hasCurves()} fallback={<OneCount report={props.report} />}>
        <div class="card-body">
          <ScalingChart lines={lines()} measure={measure()} />
          <div class="scaling-legend">
            <For each={lines()}>
              {(line, position) => (
                <span>
                  <i style={{ background: seriesColor(position()) }} />
                  {line.name}
                </span>
              )}
            </For>
            <span class="muted">
              <i class="scaling-dash" />
              ideal
              </span>
          </div>
          <Show when={alone().length > 0}>
            <p class="scaling-alone muted" data-tip={alone().map(({ name }) => name).join('\n')}>
              {plural(alone().length, 'method')} without a curve, because there is one device count
              only; see below.
            </p>
          </Show>
        </div>
      </Show>
    </section>
  );
}

function Controls(props: { report: ScalingReport; hasCurves: boolean }) {
  const count = () => chosen().length || candidates().length;
  const toggle = (key: string) => {
    const before = chosen().length > 0 ? chosen() : candidates().map((session) => session.key);
    const after = before.includes(key)
      ? before.filter((other) => other !== key)
      : [...before, key];
    const isAll = after.length === 0 || after.length === candidates().length;
    setParams({ sessions: isAll ? null : after.sort().join(',') }, true);
  };
  return (
    <div class="scaling-controls">
      <Show when={props.hasCurves}>
        <div class="segmented" role="group" aria-label="Measure">
          <For each={MEASURES}>
            {(each) => (
              <button
                aria-pressed={measureOf(getParam('measure')).key === each.key}
                onClick={() => setParams({ measure: each.key === 'speedup' ? null : each.key }, true)}
              >
                {each.title}
              </button>
            )}
          </For>
        </div>
        <label class="scaling-check" data-tip="Work per step grows with the number of devices (--weak)">
          <input
            type="checkbox"
            checked={props.report.kind === 'weak'}
            onChange={(event) => setParams({ weak: event.currentTarget.checked ? 'true' : null }, true)}
          />
          Weak scaling
        </label>
      </Show>
      <Popover class="tab" label={<>{plural(count(), 'session')} ▾</>} tip="Sessions to include">
        {() => (
          <ul class="scaling-sessions">
            <For each={candidates()}>
              {(session) => (
                <li>
                  <label>
                    <input
                      type="checkbox"
                      checked={chosen().length === 0 || chosen().includes(session.key)}
                      onChange={() => toggle(session.key)}
                    />
                    <span>{session.location}</span>
                    <span class="muted">{session.devices}</span>
                  </label>
                </li>
              )}
            </For>
          </ul>
        )}
      </Popover>
    </div>
  );
}

function OneCount(props: { report: ScalingReport }) {
  return (
    <div class="card-body">
      <OneOnly
        text={oneCountText(props.report)}
        actions={
          <>
            <Show when={chosen().length > 0}>
              <button onClick={() => setParams({ sessions: null }, true)}>Include all sessions</button>
            </Show>
            <a class="button" href={hrefTo({ view: COMPARE_VIEW })}>
              Compare two sessions
            </a>
          </>
        }
      />
    </div>
  );
}

/** Methods with one device count that are listed at once. */
const MOST_ALONE = 9;

function Limits(props: { report: ScalingReport }) {
  const several = () => props.report.methods.filter(({ device_counts: counts }) => counts.length > 1);
  const alone = () => props.report.methods.filter(({ device_counts: counts }) => counts.length < 2);
  return (
    <>
      <Show when={several().length > 0}>
        <section class="card">
          <header>
            <h2>What limits the next doubling</h2>
            <span class="muted" data-figure="scaling.limits.cost_ps">
              time of each part beyond perfect scaling, extrapolated from the last doubling
            </span>
          </header>
          <div class="scaling-methods">
            <For each={several()}>{(method) => <Method method={method} />}</For>
          </div>
        </section>
      </Show>
      <Show when={alone().length > 0}>
        <details
          class="card scaling-one-count"
          open={several().length === 0 && alone().length <= MOST_ALONE}
        >
          <summary>
            <strong>Measured on one device count</strong>{' '}
            <span class="muted">
              {plural(alone().length, 'method')}; time of each part beyond perfect scaling if a
              doubling leaves it as it is
            </span>
          </summary>
          <div class="scaling-methods">
            <For each={alone()}>{(method) => <Method method={method} />}</For>
          </div>
        </details>
      </Show>
    </>
  );
}

function Method(props: { method: ScalingMethod }) {
  const most = () => Math.max(1, ...props.method.limits.map((limit) => limit.cost_ps));
  return (
    <div class="scaling-method">
      <h3 class="mono">
        {props.method.name}
      </h3>
      <p>
        {withUnits(props.method.conclusion)}
        <Show when={props.method.apart_because}>
          {(why) => <span class="muted"> {why()}.</span>}
        </Show>
      </p>
      <ol>
        <For each={props.method.limits.slice(0, 5)}>
          {(limit) => (
            <li data-tip={limit.text}>
              <span>{limit.title}</span>
              <RatioBar ratio={limit.cost_ps / most()} />
              <span class="number">+{formatDuration(limit.cost_ps)}</span>
              <span class="number muted">{formatRatio(limit.cost_ratio)}</span>
            </li>
          )}
        </For>
      </ol>
    </div>
  );
}

const duration = (
  key: string,
  value: (row: ScalingRow) => number | null,
): Layout<ScalingRow> => ({
  key,
  width: 118,
  scale: 'time',
  value,
  isOptional: true,
});
const ratio = (
  key: string,
  value: (row: ScalingRow) => number | null,
): Layout<ScalingRow> => ({
  key,
  width: 134,
  value,
  isOptional: true,
});

function columns(report: ScalingReport): Column<ScalingRow>[] {
  const longest = Math.max(1, ...report.rows.map((row) => row.step_ps));
  const linked = (row: ScalingRow) => {
    const sample = report.samples.find(
      (one) =>
        one.group === row.group && one.device_count === row.device_count && one.session !== null,
    );
    return sample && sessionCalled(sample.name);
  };
  // Of one device count, each row would be compared with itself.
  const hasCurves = report.methods.some(({ device_counts: counts }) => counts.length > 1);
  const compared = <T extends { key: string }>(layout: T): T[] => (hasCurves ? [layout] : []);
  return declared<ScalingRow>('scaling.rows', [
    {
      key: 'method',
      width: 230,
      value: (row) => row.method,
      cell: (row) => (
        <Show when={linked(row) !== undefined} fallback={<span class="mono">{row.method}</span>}>
          <a class="mono" href={hrefTo({ session: linked(row) ?? null, view: 'overview' })}>
            {row.method}
          </a>
        </Show>
      ),
    },
    { key: 'program', width: 190, value: (row) => row.program || 'unknown' },
    { key: 'source', width: 92, value: (row) => row.source },
    {
      key: 'device_count',
      width: 82,
      value: (row) => row.device_count,
    },
    { ...duration('step_ps', (row) => row.step_ps), width: 100 },
    {
      key: 'parts',
      title: 'Parts of the step',
      figure: 'steps.step_parts',
      width: 220,
      value: () => null,
      cell: (row) => (
        <Show when={row.parts_ps.length > 0} fallback={<span class="muted">not recorded</span>}>
          <DividedBar
            total={longest}
            pieces={PARTS.map((part, position) => ({
              title: part.title,
              value: row.parts_ps[position] ?? 0,
              color: part.color,
            }))}
          />
        </Show>
      ),
    },
    ...compared<Layout<ScalingRow>>({
      key: 'speedup_ratio',
      width: 96,
      value: (row) => row.speedup_ratio,
      cell: (row) => <span class="number">{formatTimes(row.speedup_ratio)}</span>,
    }),
    ...compared(ratio('efficiency_ratio', (row) => row.efficiency_ratio)),
    {
      ...duration('communication_ps', (row) => row.communication_ps),
      width: 152,
    },
    ratio('communication_ratio', (row) => row.communication_ratio),
    duration('exposed_ps', (row) => row.exposed_ps),
    ratio('exposed_ratio', (row) => row.exposed_ratio),
    ratio('balance_ratio', (row) => row.balance_ratio),
    {
      key: 'throughput_per_second',
      width: 90,
      value: (row) => row.throughput_per_second,
    },
    {
      key: 'examples_per_second',
      width: 104,
      value: (row) => row.examples_per_second,
      isOptional: true,
    },
    {
      key: 'sample_count',
      width: 84,
      value: (row) => row.sample_count,
    },
  ]);
}

function Rows(props: { report: ScalingReport }) {
  const table = localTableState('');
  const used = () =>
    PARTS.filter((_, position) => props.report.rows.some((row) => (row.parts_ps[position] ?? 0) > 0));
  return (
    <section class="card">
      <header>
        <h2>Methods by device count</h2>
        <span class="spacer" />
        <Legend entries={used().map(({ title, color, part }) => ({ title, color, figure: part }))} />
      </header>
      <DataTable
        rows={props.report.rows}
        columns={columns(props.report)}
        state={table}
        noun="row"
        fileName="stepscope-scaling"
        isPlain
      />
    </section>
  );
}
