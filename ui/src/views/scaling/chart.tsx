/** Lines per method over the device count, with the line of perfect scaling. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatDuration, formatRatio, plural } from '../../format/numbers';
import { Plot } from '../../widgets/chart/plot';
import type { Frame } from '../../widgets/chart/frame';
import { linePath } from '../../widgets/chart/paths';
import { closest } from '../../widgets/chart/points';
import { seriesColor } from '../../widgets/chart/series';
import type { ScalingRow } from '../../wire/generated/ScalingRow';
import { countAxis, formatTimes, idealOf, valueAxis, type Line, type Measure } from './lines';

/** Pixels around a point that belong to it. */
const REACH = 24;

export function ScalingChart(props: { lines: Line[]; measure: Measure }) {
  const rows = createMemo(() => props.lines.flatMap((line) => line.rows));
  const mostCount = () => Math.max(...rows().map((row) => row.device_count));
  const ideals = createMemo(() =>
    props.lines.map((line) => idealOf(line, props.measure, mostCount())),
  );
  const values = () => [...rows().map((row) => props.measure.value(row)), ...ideals()];
  const placeOf = (row: ScalingRow, frame: Frame) => ({
    x: frame.x(row.device_count),
    y: frame.y(props.measure.value(row)),
  });
  /** Both axes double from tick to tick, so perfect scaling is straight. */
  const idealPath = (line: Line, frame: Frame) =>
    linePath(
      [line.rows[0]?.device_count ?? 1, mostCount()].map((count) => ({
        x: frame.x(count),
        y: frame.y(idealOf(line, props.measure, count)),
      })),
    );
  const isOneIdeal = () => new Set(ideals()).size === 1;
  const [pointed, setPointed] = createSignal<number | null>(null);
  return (
    <Plot
      class="scaling-chart"
      label={`${props.measure.title} of ${plural(props.lines.length, 'method')} by device count`}
      x={countAxis(rows().map((row) => row.device_count))}
      y={valueAxis(props.measure, values())}
      rows={props.lines.map((line) => line.rows.length)}
      hit={(at, frame) =>
        closest(
          rows().map((row) => placeOf(row, frame)),
          at,
          REACH,
        )
      }
      placeOf={(index, frame) => {
        const row = rows()[index];
        return row ? placeOf(row, frame) : { x: 0, y: 0 };
      }}
      at={pointed()}
      onAt={setPointed}
      readout={(index) => <Details row={rows()[index]} />}
    >
      {(frame) => (
        <>
          <For each={isOneIdeal() ? props.lines.slice(0, 1) : props.lines}>
            {(line) => <path class="scaling-ideal" d={idealPath(line, frame())} />}
          </For>
          <For each={props.lines}>
            {(line, position) => (
              <g style={{ color: seriesColor(position()) }}>
                <path
                  class="scaling-line"
                  classList={{ 'is-benchmark': line.source === 'benchmark' }}
                  d={linePath(line.rows.map((row) => placeOf(row, frame())))}
                />
                <For each={line.rows}>
                  {(row) => (
                    <circle
                      cx={placeOf(row, frame()).x}
                      cy={placeOf(row, frame()).y}
                      r={row === rows()[pointed() ?? -1] ? 7 : 5}
                    />
                  )}
                </For>
              </g>
            )}
          </For>
        </>
      )}
    </Plot>
  );
}

function Details(props: { row: ScalingRow | undefined }) {
  return (
    <Show when={props.row}>
      {(row) => (
        <>
          <p>
            <strong>
              {row().method}
              {row().program && `: ${row().program}`}
            </strong>{' '}
            on {plural(row().device_count, 'device')}
          </p>
          <p>
            step {formatDuration(row().step_ps)}, {formatTimes(row().speedup_ratio)}, ideal{' '}
            {formatTimes(row().ideal_speedup_ratio)}
          </p>
          <p>efficiency {formatRatio(row().efficiency_ratio)}</p>
        </>
      )}
    </Show>
  );
}
