/** One figure over the runs: a dot for each, the level between change points as a line. */
import { createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js';

import { formatFigure } from '../../format/figure-unit';
import { formatDate } from '../../format/numbers';
import type { HistoryReport } from '../../wire/generated/HistoryReport';
import type { HistorySeries } from '../../wire/generated/HistorySeries';
import { rangeOf, runAt, stretchesOf } from './lines';

const HEIGHT = 108;
const MARGIN = { left: 66, right: 10, top: 12, bottom: 12 };

export interface HistoryChartProps {
  report: HistoryReport;
  series: HistorySeries;
  /** The run below the pointer, in whichever chart; null without one. */
  pointed: number | null;
  onPoint: (run: number | null) => void;
  /** A run was chosen. */
  onRun: (run: number) => void;
}

export function HistoryChart(props: HistoryChartProps) {
  let box!: HTMLDivElement;
  const [width, setWidth] = createSignal(320);
  const [isOver, setOver] = createSignal(false);
  onMount(() => {
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    onCleanup(() => observer.disconnect());
  });
  const count = () => props.series.values.length;
  const inner = () => Math.max(20, width() - MARGIN.left - MARGIN.right);
  const range = createMemo(() => rangeOf(props.series));
  const stretches = createMemo(() => stretchesOf(props.series, props.report.changes));
  const x = (run: number) => MARGIN.left + (count() > 1 ? run / (count() - 1) : 0.5) * inner();
  const y = (value: number) => {
    const { from, to } = range();
    return MARGIN.top + (1 - (value - from) / (to - from)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  };
  const pointAt = (event: MouseEvent) => {
    const left = box.getBoundingClientRect().left + MARGIN.left;
    return runAt((event.clientX - left) / inner(), count());
  };
  const known = createMemo(() =>
    props.series.values.flatMap((value, run) => (value === null ? [] : [{ run, value }])),
  );
  /** The least and the largest value, which the axis names. */
  const ends = createMemo(() => {
    const values = known().map(({ value }) => value);
    return [Math.max(...values), Math.min(...values)];
  });
  return (
    <div
      class="history-chart"
      ref={box}
      onPointerMove={(event) => {
        setOver(true);
        props.onPoint(pointAt(event));
      }}
      onPointerLeave={() => {
        setOver(false);
        props.onPoint(null);
      }}
      onClick={(event) => props.onRun(pointAt(event))}
    >
      <svg width={width()} height={HEIGHT} role="img" aria-label={`${props.series.title} by run`}>
        <For each={ends()}>
          {(value) => (
            <>
              <line
                class="history-end"
                x1={MARGIN.left - 4}
                x2={width() - 4}
                y1={y(value)}
                y2={y(value)}
              />
              <text class="history-value" x={MARGIN.left - 9} y={y(value) + 4} text-anchor="end">
                {formatFigure(props.series.unit, value)}
              </text>
            </>
          )}
        </For>
        <Show when={props.pointed !== null}>
          <line
            class="history-pointer"
            x1={x(props.pointed ?? 0)}
            x2={x(props.pointed ?? 0)}
            y1={0}
            y2={HEIGHT}
          />
        </Show>
        <For each={stretches()}>
          {(stretch) => (
            <>
              <Show when={stretch.isWorse !== null}>
                <line
                  class={`history-change is-${stretch.isWorse ? 'worse' : 'better'}`}
                  x1={(x(stretch.from) + x(stretch.from - 1)) / 2}
                  x2={(x(stretch.from) + x(stretch.from - 1)) / 2}
                  y1={0}
                  y2={HEIGHT}
                />
              </Show>
              <line
                class="history-level"
                x1={x(stretch.from) - 4}
                x2={x(stretch.to) + 4}
                y1={y(stretch.level)}
                y2={y(stretch.level)}
              />
            </>
          )}
        </For>
        <For each={known()}>
          {({ run, value }) => (
            <circle
              class={`history-dot is-${props.report.runs[run]?.verdict || 'unchecked'}`}
              classList={{ 'is-pointed': run === props.pointed }}
              cx={x(run)}
              cy={y(value)}
              r={run === props.pointed ? 4.5 : 2.8}
            />
          )}
        </For>
      </svg>
      <Show when={isOver()}>
        <Tip {...props} left={x(props.pointed ?? 0)} isLeft={x(props.pointed ?? 0) > width() / 2} />
      </Show>
    </div>
  );
}

function Tip(props: HistoryChartProps & { left: number; isLeft: boolean }) {
  const run = () => (props.pointed === null ? undefined : props.report.runs[props.pointed]);
  const value = () => props.series.values[props.pointed ?? 0] ?? null;
  return (
    <Show when={run()}>
      {(run) => (
        <div
          class="history-tip"
          classList={{ 'is-left': props.isLeft }}
          style={{ left: `${props.left}px` }}
        >
          <strong>{formatFigure(props.series.unit, value())}</strong> {run().name}
          <br />
          <span class="muted">
            {[
              run().recorded_unix_s === null ? '' : formatDate(1000 * (run().recorded_unix_s ?? 0)),
              run().commit.slice(0, 9),
              run().verdict.replace('_', ' '),
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </div>
      )}
    </Show>
  );
}
