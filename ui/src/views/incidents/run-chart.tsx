/** The step times of a recorded run, with its incidents as marks; a click on one opens its capture. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatDate, formatDuration } from '../../format/numbers';
import { navigate } from '../../shell/state';
import { figureAxis, titled } from '../../widgets/chart/axis';
import type { Frame } from '../../widgets/chart/frame';
import { Plot } from '../../widgets/chart/plot';
import { closest, nearestIndex, type Place } from '../../widgets/chart/points';
import { createZoom } from '../../widgets/chart/zoom';
import type { RecordedRun } from '../../wire/generated/RecordedRun';
import { MARGIN, runAxis } from './run-axis';
import { sessionOf, stepsText, timesOf, type Mark } from './run-marks';

const HEIGHT = 220;
/** Pixels around a mark that belong to it. */
const REACH = 14;

export function RunChart(props: {
  run: RecordedRun;
  marks: readonly Mark[];
  /** The incident that is pointed at, here or in the list. */
  pointed: string | null;
  onPoint: (id: string | null) => void;
}) {
  const [at, setAt] = createSignal<number | null>(null);
  const zoom = createZoom(`zoom_${props.run.name}`);
  const points = () => props.run.points;
  const axis = createMemo(() => runAxis(timesOf(props.run, props.marks)));
  const across = (ms: number) => axis().across(ms);
  const most = createMemo(() => points().reduce((most, { longest_ps }) => Math.max(most, longest_ps), 1));
  const placeOfMark = (mark: Mark | undefined, frame: Frame): Place => ({
    x: frame.x(across(mark?.atMs ?? 0)),
    y: frame.y(mark?.valuePs ?? most()),
  });
  const placeOf = (index: number, frame: Frame): Place => {
    const point = points()[index];
    if (!point) return placeOfMark(props.marks[index - points().length], frame);
    return { x: frame.x(across(point.ended_epoch_ms)), y: frame.y(point.longest_ps) };
  };
  /** Level from the end of the point before, since that is the time that it covers. */
  const lineIn = (frame: Frame) => {
    const places = points().map((_, index) => placeOf(index, frame));
    const corners = places.flatMap((place, index) => [
      { x: (places[index - 1] ?? place).x, y: place.y },
      place,
    ]);
    return corners.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  };
  const hit = (place: Place, frame: Frame) => {
    const marks = props.marks.map((mark) => placeOfMark(mark, frame));
    const mark = closest(marks, place, REACH);
    if (mark !== null) return points().length + mark;
    return nearestIndex(
      points().map((point) => frame.x(across(point.ended_epoch_ms))),
      place.x,
    );
  };
  const markAt = (index: number | null) =>
    index === null ? undefined : props.marks[index - points().length];
  const open = (index: number) => {
    const mark = markAt(index);
    const session = mark && sessionOf(mark.incident);
    if (session) navigate({ session, view: 'overview' });
  };
  return (
    <Plot
      class="incidents-chart"
      label={`Step times of the run ${props.run.name}, with incidents`}
      height={HEIGHT}
      margin={MARGIN}
      x={axis().x}
      y={(length) => {
        const axis = figureAxis('', 'duration', 0, 1.06 * most())(length);
        return { ...axis, title: titled('Step time', axis.title) };
      }}
      rows={[points().length, props.marks.length]}
      hit={hit}
      placeOf={placeOf}
      at={at()}
      onAt={(index) => {
        setAt(index);
        props.onPoint(markAt(index)?.incident.id ?? null);
      }}
      onOpen={open}
      zoom={zoom}
      isClipped
      readout={(index) => <PointReadout run={props.run} index={index} mark={markAt(index)} />}
      data={() => ({
        columns: ['first step', 'last step', 'ended', 'median_ps', 'longest_ps', 'slowest rank'],
        rows: points().map((point) => [
          point.step_first,
          point.step_last,
          formatDate(point.ended_epoch_ms),
          point.median_ps,
          point.longest_ps,
          point.longest_rank,
        ]),
      })}
    >
      {(frame) => (
        <>
          <polyline class="incidents-steps" points={lineIn(frame())} />
          <For each={props.marks}>
            {(mark) => (
              <MarkSign
                place={placeOfMark(mark, frame())}
                bottom={frame().height}
                isStep={mark.valuePs !== null}
                isPointed={props.pointed === mark.incident.id}
              />
            )}
          </For>
        </>
      )}
    </Plot>
  );
}

/** A dot on the step of an incident, a square where no step is known, and a line down to the axis. */
function MarkSign(props: { place: Place; bottom: number; isStep: boolean; isPointed: boolean }) {
  return (
    <g class="incident-mark" classList={{ 'is-pointed': props.isPointed }}>
      <line x1={props.place.x} x2={props.place.x} y1={props.place.y} y2={props.bottom} />
      <Show
        when={props.isStep}
        fallback={<rect x={props.place.x - 4} y={props.place.y - 4} width="8" height="8" />}
      >
        <circle cx={props.place.x} cy={props.place.y} r={props.isPointed ? 6 : 4.5} />
      </Show>
    </g>
  );
}

function PointReadout(props: { run: RecordedRun; index: number; mark: Mark | undefined }) {
  const point = () => props.run.points[props.index];
  return (
    <Show
      when={props.mark}
      fallback={
        <Show when={point()}>
          {(point) => (
            <>
              <p>
                <strong>{formatDuration(point().longest_ps)}</strong> {stepsText(point())}
                <Show when={point().step_first !== point().step_last}>
                  , longest: step {point().longest_step}
                </Show>
              </p>
              <p class="muted">
                {formatDate(point().ended_epoch_ms)}
                <Show when={props.run.rank_count > 1}> · slowest: rank {point().longest_rank}</Show>
              </p>
            </>
          )}
        </Show>
      }
    >
      {(mark) => (
        <>
          <p>
            <strong>{mark().incident.what}</strong>
          </p>
          <p>{mark().incident.cause ?? 'Its report was not written yet'}</p>
          <p class="muted">{formatDate(mark().incident.epoch_ms)}</p>
        </>
      )}
    </Show>
  );
}
