/** One counter over time. All charts share a window: a drag zooms, a double-click resets. */
import { createMemo, Show } from 'solid-js';

import { valueText } from '../../format/counter-value';
import { formatTime } from '../../format/numbers';
import { hrefTo } from '../../shell/state';
import { formatRange } from '../../timeline/address';
import type { TimeWindow } from '../../timeline/viewport';
import { timeAcross } from '../../widgets/chart/axis';
import type { Frame } from '../../widgets/chart/frame';
import { bandPath, corners, stepPath } from '../../widgets/chart/paths';
import { Plot } from '../../widgets/chart/plot';
import { nearestIndex } from '../../widgets/chart/points';
import { Middle } from '../../widgets/middle';
import type { CounterPoint } from '../../wire/generated/CounterPoint';
import type { CounterRow } from '../../wire/generated/CounterRow';
import { pointsIn, valueAxis } from './line';

const HEIGHT = 132;

/** Lines that the profiler names for itself, such as `_counters_`, say nothing. */
const lineTitle = (line: string) => (/^_.*_$/.test(line) ? '' : line);

interface ChartProps {
  row: CounterRow;
  /** Its name, without the prefix that it shares with others. */
  title: string;
  window: TimeWindow;
  /** Time under the pointer, in any chart. */
  atPs: number | null;
  onPoint: (atPs: number | null) => void;
  onZoom: (window: TimeWindow | null) => void;
}

export function CounterChart(props: ChartProps) {
  const points = createMemo(() => pointsIn(props.row.points, props.window));
  const times = createMemo(() => points().map((point) => point.at_ps));
  const pointed = () => (props.atPs === null ? null : nearestIndex(times(), props.atPs));
  const placeOf = (point: CounterPoint, value: number, frame: Frame) => ({
    x: frame.x(point.at_ps),
    y: frame.y(value),
  });
  const line = (key: 'min' | 'mean' | 'max', frame: Frame) =>
    points().map((point) => placeOf(point, point[key], frame));
  const isWide = () => points().some((point) => point.max > point.min);
  const around = () => {
    const half = (props.window.endPs - props.window.startPs) / 20;
    const middle = props.row.max_at_ps;
    return formatRange({ startPs: middle - half, endPs: middle + half });
  };
  return (
    <section class="card counter">
      <header>
        <strong
          class="counter-name"
          data-tip={[props.row.name, props.row.description].filter(Boolean).join('\n')}
        >
          <Middle text={props.title} />
        </strong>
      </header>
      <p class="muted counter-place">
        {[props.row.device || props.row.host, lineTitle(props.row.line)].filter(Boolean).join(' · ')}
      </p>
      <Plot
        class="counter-plot"
        label={`${props.row.name} over time`}
        height={HEIGHT}
        x={timeAcross(props.window.startPs, props.window.endPs)}
        y={valueAxis(points(), props.row.unit)}
        rows={[points().length]}
        hit={({ x }, frame) => nearestIndex(times(), frame.atX(x))}
        placeOf={(index, frame) => {
          const point = points()[index];
          return point ? placeOf(point, point.mean, frame) : { x: 0, y: 0 };
        }}
        at={pointed()}
        onAt={(index) => props.onPoint(index === null ? null : (times()[index] ?? null))}
        onDrag={(from, to, frame) => {
          const ends = [from.x, to.x].map((x) => frame.atX(Math.max(0, Math.min(frame.width, x))));
          props.onZoom({ startPs: Math.min(...ends), endPs: Math.max(...ends) });
        }}
        onReset={() => props.onZoom(null)}
        data={() => ({
          columns: ['at_ps', 'min', 'mean', 'max'],
          rows: points().map(({ at_ps, min, mean, max }) => [at_ps, min, mean, max]),
        })}
        isClipped
        hasCursor
        readout={(index) => <Sample point={points()[index]} unit={props.row.unit} />}
      >
        {(frame) => (
          <>
            <Show when={isWide()}>
              <path
                class="counter-band"
                d={bandPath(corners(line('max', frame())), corners(line('min', frame())))}
              />
            </Show>
            <path class="counter-line" d={stepPath(line('mean', frame()))} />
            <Show when={points().length === 1 && points()[0]}>
              {(only) => (
                <circle
                  class="counter-dot"
                  cx={frame().x(only().at_ps)}
                  cy={frame().y(only().mean)}
                  r="3"
                />
              )}
            </Show>
          </>
        )}
      </Plot>
      <footer class="muted">
        <span data-figure="counters.rows.mean">
          mean {valueText(props.row.mean, props.row.unit)}
        </span>
        <span data-tip={`exactly ${props.row.max_exact}`} data-figure="counters.rows.max">
          max{' '}
          <a href={hrefTo({ view: 'timeline', params: { window: around() } })}>
            {valueText(props.row.max, props.row.unit)}
          </a>
        </span>
        <span data-tip={`exactly ${props.row.last_exact}`} data-figure="counters.rows.last">
          last {valueText(props.row.last, props.row.unit)}
        </span>
      </footer>
    </section>
  );
}

/** A value and its time; also the range if it combines several samples. */
function Sample(props: { point: CounterPoint | undefined; unit: string }) {
  return (
    <Show when={props.point}>
      {(point) => (
        <>
          <strong class="number">{valueText(point().mean, props.unit)}</strong>{' '}
          <span class="muted number">at {formatTime(point().at_ps)}</span>
          <Show when={point().max > point().min}>
            <p class="muted number">
              {valueText(point().min, props.unit)} to {valueText(point().max, props.unit)}
            </p>
          </Show>
        </>
      )}
    </Show>
  );
}
