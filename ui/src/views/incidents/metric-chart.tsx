/** One metric over the steps of a recorded run, on the time axis of its step times. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatDate } from '../../format/numbers';
import type { AxisOf } from '../../widgets/chart/axis';
import type { Frame } from '../../widgets/chart/frame';
import { Plot } from '../../widgets/chart/plot';
import { nearestIndex, type Place } from '../../widgets/chart/points';
import { linear } from '../../widgets/chart/scale';
import { linearTicks } from '../../widgets/chart/ticks';
import { createZoom } from '../../widgets/chart/zoom';
import type { RecordedRun } from '../../wire/generated/RecordedRun';
import type { RunMetric } from '../../wire/generated/RunMetric';
import { brokenStretches, pieces, pointText, valueRange, valueText } from './metric-line';
import { MARGIN, runAxis } from './run-axis';
import { timesOf, type Mark } from './run-marks';

const HEIGHT = 140;
/** Pixels between two labels of the vertical axis. */
const TICK_HEIGHT = 27;

export function MetricChart(props: { run: RecordedRun; metric: RunMetric; marks: readonly Mark[] }) {
  const [at, setAt] = createSignal<number | null>(null);
  // The name of the chart of step times: they zoom together.
  const zoom = createZoom(`zoom_${props.run.name}`);
  const points = () => props.metric.points;
  const axis = createMemo(() => runAxis(timesOf(props.run, props.marks)));
  const y = createMemo<AxisOf>(() => {
    const { from, to } = valueRange(points());
    return (length) => ({
      scale: linear(from, to),
      ticks: linearTicks(from, to, Math.max(2, Math.floor(length / TICK_HEIGHT))).map((value) => ({
        value,
        text: valueText(value),
      })),
      title: props.metric.name,
      hasGrid: true,
    });
  });
  const placeOf = (index: number, frame: Frame): Place => {
    const point = points()[index];
    const x = frame.x(axis().across(point?.ended_epoch_ms ?? 0));
    // What is not finite stands at the upper edge.
    return { x, y: point?.last == null ? 0 : frame.y(point.last) };
  };
  const broken = createMemo(() => brokenStretches(points()));
  const lineOf = (piece: readonly number[], frame: Frame) =>
    piece
      .map((index) => placeOf(index, frame))
      .map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`)
      .join(' ');
  return (
    <Plot
      class="incidents-chart incidents-metric"
      label={`${props.metric.name} of the run ${props.run.name}, of rank ${props.metric.rank}`}
      height={HEIGHT}
      margin={MARGIN}
      x={axis().x}
      y={y()}
      rows={[points().length]}
      hit={(place, frame) =>
        nearestIndex(
          points().map((point) => frame.x(axis().across(point.ended_epoch_ms))),
          place.x,
        )
      }
      placeOf={placeOf}
      at={at()}
      onAt={setAt}
      zoom={zoom}
      isClipped
      readout={(index) => (
        <Show when={points()[index]}>
          {(point) => (
            <>
              <p>
                <strong>{props.metric.name}</strong> {pointText(point())}
              </p>
              <p class="muted">
                {formatDate(point().ended_epoch_ms)}
                <Show when={props.run.rank_count > 1}> · rank {props.metric.rank}</Show>
              </p>
            </>
          )}
        </Show>
      )}
      data={() => ({
        columns: ['first step', 'last step', 'ended', 'last', 'least', 'most', 'not finite', 'at step'],
        rows: points().map((point) => [
          point.step_first,
          point.step_last,
          formatDate(point.ended_epoch_ms),
          point.last,
          point.least,
          point.most,
          point.not_finite,
          point.not_finite_step,
        ]),
      })}
    >
      {(frame) => (
        <>
          <For each={pieces(points())}>
            {(piece) => <polyline class="incidents-steps" points={lineOf(piece, frame())} />}
          </For>
          <For each={broken()}>
            {({ first, last }) => {
              const x = () => placeOf(first, frame()).x;
              const width = () => placeOf(last, frame()).x - x();
              return (
                <g class="incidents-not-finite">
                  <rect x={x()} y={0} width={width()} height={frame().height} />
                  <line x1={x()} x2={x()} y1={0} y2={frame().height} />
                </g>
              );
            }}
          </For>
        </>
      )}
    </Plot>
  );
}
