/** One figure over the runs of its group: a dot for each, the level between change points as a line. */
import { createMemo, For, Show } from 'solid-js';

import { formatFigure, kindOf } from '../../format/figure-unit';
import { formatDate } from '../../format/numbers';
import { figureAxis, slotsAcross } from '../../widgets/chart/axis';
import { Plot } from '../../widgets/chart/plot';
import { slotIndex } from '../../widgets/chart/points';
import { rangeOf, withRoom } from '../../widgets/chart/scale';
import type { HistoryReport } from '../../wire/generated/HistoryReport';
import type { HistorySeries } from '../../wire/generated/HistorySeries';
import { drawnOf, stretchesOf } from './lines';

const HEIGHT = 128;

export interface HistoryChartProps {
  report: HistoryReport;
  series: HistorySeries;
  /** The run under the pointer, in any chart; null if there is none. */
  pointed: number | null;
  onPoint: (run: number | null) => void;
  /** Called when a run is chosen. */
  onRun: (run: number) => void;
}

export function HistoryChart(props: HistoryChartProps) {
  const drawn = createMemo(() => drawnOf(props.report, props.series));
  const count = () => drawn().runs.length;
  const known = createMemo(() =>
    drawn().values.flatMap((value, at) => (value === null ? [] : [{ at, value }])),
  );
  const runAt = (at: number) => drawn().runs[at] ?? 0;
  /** The place of the pointed run; null if it is of another group. */
  const pointedAt = () => {
    const at = props.pointed === null ? -1 : drawn().runs.indexOf(props.pointed);
    return at < 0 ? null : at;
  };
  const range = createMemo(() => {
    const found = rangeOf(known().map(({ value }) => value)) ?? { from: 0, to: 1 };
    return withRoom(found, 0.12);
  });
  const stretches = createMemo(() => stretchesOf(props.series, drawn(), props.report.changes));
  return (
    <Plot
      class="history-chart"
      label={`${props.series.title} by run`}
      height={HEIGHT}
      x={slotsAcross(
        'Run',
        drawn().runs.map((_, at) => String(at + 1)),
      )}
      y={figureAxis('', kindOf(props.series.unit), range().from, range().to)}
      rows={[count()]}
      hit={({ x }, frame) => slotIndex(count(), x, frame.width)}
      placeOf={(at, frame) => ({
        x: frame.x(at + 0.5),
        y: frame.y(drawn().values[at] ?? range().from),
      })}
      at={pointedAt()}
      onAt={(at) => props.onPoint(at === null ? null : runAt(at))}
      onOpen={(at) => props.onRun(runAt(at))}
      hasCursor
      readout={(at) => <Run report={props.report} series={props.series} run={runAt(at)} />}
    >
      {(frame) => (
        <>
          <For each={stretches()}>
            {(stretch) => (
              <>
                <Show when={stretch.isWorse !== null}>
                  <line
                    class={`history-change is-${stretch.isWorse ? 'worse' : 'better'}`}
                    x1={frame().x(stretch.from)}
                    x2={frame().x(stretch.from)}
                    y1="0"
                    y2={frame().height}
                  />
                </Show>
                <line
                  class="history-level"
                  x1={frame().x(stretch.from + 0.1)}
                  x2={frame().x(stretch.to + 0.9)}
                  y1={frame().y(stretch.level)}
                  y2={frame().y(stretch.level)}
                />
              </>
            )}
          </For>
          <For each={known()}>
            {({ at, value }) => (
              <circle
                class={`history-dot is-${props.report.runs[runAt(at)]?.verdict || 'unchecked'}`}
                cx={frame().x(at + 0.5)}
                cy={frame().y(value)}
                r={at === pointedAt() ? 4.5 : 2.8}
              />
            )}
          </For>
        </>
      )}
    </Plot>
  );
}

function Run(props: { report: HistoryReport; series: HistorySeries; run: number }) {
  const run = () => props.report.runs[props.run];
  const details = () =>
    [
      run()?.recorded_unix_s == null ? '' : formatDate(1000 * (run()?.recorded_unix_s ?? 0)),
      run()?.commit.slice(0, 9),
      run()?.verdict.replace('_', ' '),
    ]
      .filter(Boolean)
      .join(' · ');
  return (
    <>
      <p>
        <strong>{formatFigure(props.series.unit, props.series.values[props.run] ?? null)}</strong>{' '}
        {run()?.name}
      </p>
      <p class="muted">{details()}</p>
    </>
  );
}
