/** Host time by annotation and Python function: as a table, by thread, or as a flame graph. */
import { Show } from 'solid-js';

import { compareTable } from '../../compare/identity';
import { formatDuration, formatRatio, plural } from '../../format/numbers';
import { summaryOf } from '../../shell/session';
import { getParam, navigate, selectionParams, setParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import { urlTableState } from '../../widgets/table/state';
import { DataTable } from '../../widgets/table/table';
import type { RegionsReport } from '../../wire/generated/RegionsReport';
import { createReport } from '../../wire/report';
import { columns, placeOf } from './columns';
import { RegionFlame } from './flame';
import './regions.css';

const LIMIT = 20000;

const SHAPES = [
  { by: 'name', title: 'By name' },
  { by: 'thread', title: 'By thread' },
  { by: 'stack', title: 'Flame graph' },
] as const;

const KINDS = [
  { kind: 'user', title: 'Annotations and Python' },
  { kind: 'annotation', title: 'Annotations' },
  { kind: 'python', title: 'Python' },
  { kind: 'runtime', title: 'Runtime' },
  { kind: 'all', title: 'All' },
] as const;

const COMPARE = compareTable('regions.rows', (report: RegionsReport) => report.rows);

const by = () => SHAPES.find((shape) => shape.by === getParam('by'))?.by ?? 'name';
const kind = () => KINDS.find((entry) => entry.kind === getParam('kind'))?.kind ?? 'user';
const isFolded = () => getParam('fold') === 'numbers';

export default function RegionsView(props: ViewProps) {
  const report = createReport(
    'regions',
    () => props.session,
    () => ({
      ...selectionParams(),
      limit: LIMIT,
      by: by() === 'name' ? null : by(),
      kind: kind() === 'user' ? null : kind(),
      fold: isFolded() ? 'numbers' : null,
    }),
  );
  const table = urlTableState('');
  return (
    <AnswerView answer={report}>
      {(data) => (
        <div class="page is-filling">
          <Warnings notes={data().notes} />
          <Show when={data().rows.length > 0} fallback={<NoRegions />}>
            <section class="card is-main">
              <Show
                when={by() !== 'stack'}
                fallback={
                  <>
                    <div class="region-tools">
                      <Tools />
                    </div>
                    <RegionFlame report={data()} />
                    <p class="table-foot">
                      <Summary report={data()} />
                    </p>
                  </>
                }
              >
                <DataTable
                  rows={data().rows}
                  rowCount={data().row_count}
                  columns={columns}
                  state={table}
                  noun="region"
                  compare={COMPARE}
                  fileName={`stepscope-${summaryOf(props.session)?.name ?? 'session'}-regions`}
                  isFilling
                  onRow={(row) => {
                    const params = placeOf(row, 'longest');
                    if (params) navigate({ view: 'timeline', params });
                  }}
                  tools={<Tools />}
                  summary={<Summary report={data()} />}
                />
              </Show>
            </section>
          </Show>
          <Remarks notes={data().notes} />
        </div>
      )}
    </AnswerView>
  );
}

function Tools() {
  return (
    <>
      <ShapeSwitch />
      <KindSwitch />
      <label class="region-fold" data-tip="layer_0, layer_1, … become layer_*">
        <input
          type="checkbox"
          checked={isFolded()}
          onChange={(event) =>
            setParams({ fold: event.currentTarget.checked ? 'numbers' : null, zoom: null }, false)
          }
        />
        Fold numbers
      </label>
      <span class="spacer" />
    </>
  );
}

/** How much time is in regions, and how much of the devices' work was launched in them. */
function Summary(props: { report: RegionsReport }) {
  return (
    <span class="muted">
      {formatDuration(props.report.covered_ps)} in regions on{' '}
      {plural(props.report.threads.length, 'thread')}
      <Show when={props.report.device_ratio !== null}>
        <span data-figure="regions.device_ratio">
          , launches found for {formatRatio(props.report.device_ratio)} of device time
        </span>
      </Show>
    </span>
  );
}

function ShapeSwitch() {
  return (
    <span class="segmented">
      {SHAPES.map((shape) => (
        <button
          aria-pressed={by() === shape.by}
          onClick={() =>
            setParams(
              { by: shape.by === 'name' ? null : shape.by, zoom: null, sort: null },
              false,
            )
          }
        >
          {shape.title}
        </button>
      ))}
    </span>
  );
}

function KindSwitch() {
  return (
    <select
      class="region-kinds"
      aria-label="Which regions"
      value={kind()}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        setParams({ kind: chosen === 'user' ? null : chosen, zoom: null }, false);
      }}
    >
      {KINDS.map((entry) => (
        <option value={entry.kind}>{entry.title}</option>
      ))}
    </select>
  );
}

function NoRegions() {
  return (
    <>
      <div>
        <KindSwitch />
      </div>
      <EmptyState
        title="No regions in this selection"
        code={'with stepscope.profile_scope("forward_pass"):\n    …'}
      >
        Regions are annotations and, if the Python tracer is on, Python functions on host threads.
        Annotate the parts of a step and record again:
      </EmptyState>
    </>
  );
}
