/** Lines per method over the device count, with the line of perfect scaling. */
import { createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js';

import { formatCount, formatDuration, formatRatio, plural } from '../../format/numbers';
import type { ScalingRow } from '../../wire/generated/ScalingRow';
import {
  countAxis,
  doublingAxis,
  formatTimes,
  idealOf,
  placeOfCount,
  valueAxis,
  type Line,
  type Measure,
} from './lines';

/** Hues of people with any colour vision, apart in lightness too. */
const COLOURS = ['#3f7fd0', '#e08b1f', '#2f9e83', '#8f74d6', '#b55f93', '#8a6a45', '#7488a6'];
export const colourOf = (position: number) => COLOURS[position % COLOURS.length] ?? COLOURS[0];

const MARGIN = { left: 52, right: 18, top: 12, bottom: 40 };

export function ScalingChart(props: { lines: Line[]; measure: Measure }) {
  let box!: HTMLDivElement;
  const [size, setSize] = createSignal({ width: 700, height: 320 });
  const [pointed, setPointed] = createSignal<{ row: ScalingRow; x: number; y: number } | null>(null);
  onMount(() => {
    const observer = new ResizeObserver(() =>
      setSize({ width: box.clientWidth, height: box.clientHeight }),
    );
    observer.observe(box);
    onCleanup(() => observer.disconnect());
  });
  const rows = createMemo(() => props.lines.flatMap((line) => line.rows));
  const counts = createMemo(() => countAxis(rows().map((row) => row.device_count)));
  const mostCount = () => Math.max(...rows().map((row) => row.device_count));
  const ideals = createMemo(() =>
    props.lines.map((line) => idealOf(line, props.measure, mostCount())),
  );
  const isShare = () => props.measure.key === 'efficiency';
  const values = createMemo(() => {
    const shown = [...rows().map((row) => props.measure.value(row)), ...ideals()];
    return isShare() ? valueAxis(shown) : doublingAxis(shown);
  });
  const inner = () => ({
    width: Math.max(60, size().width - MARGIN.left - MARGIN.right),
    height: Math.max(60, size().height - MARGIN.top - MARGIN.bottom),
  });
  const x = (count: number) => MARGIN.left + placeOfCount(counts(), count) * inner().width;
  const y = (value: number) => {
    const place = isShare() ? value / values().to : placeOfCount(values(), value);
    return MARGIN.top + (1 - place) * inner().height;
  };
  /** Both axes double from tick to tick, so perfect scaling is straight. */
  const idealPath = (line: Line) => {
    const ends = [line.rows[0]?.device_count ?? 1, mostCount()];
    return ends
      .map((count) => `${x(count)},${y(idealOf(line, props.measure, count))}`)
      .join(' ');
  };
  const isOneIdeal = () => new Set(ideals()).size === 1;
  const tick = (value: number) =>
    isShare() ? formatRatio(value) : value < 1 ? String(value) : formatCount(value);
  return (
    <div class="scaling-chart" ref={box}>
      <svg
        width={size().width}
        height={size().height}
        role="img"
        aria-label={`${props.measure.title} of ${plural(props.lines.length, 'method')} by device count`}
      >
        <g class="scaling-grid">
          <For each={values().ticks}>
            {(value) => (
              <>
                <line x1={MARGIN.left} x2={MARGIN.left + inner().width} y1={y(value)} y2={y(value)} />
                <text x={MARGIN.left - 8} y={y(value) + 4} text-anchor="end">
                  {tick(value)}
                </text>
              </>
            )}
          </For>
          <For each={counts().ticks}>
            {(count) => (
              <text x={x(count)} y={MARGIN.top + inner().height + 18} text-anchor="middle">
                {count}
              </text>
            )}
          </For>
          <text
            x={MARGIN.left + inner().width / 2}
            y={MARGIN.top + inner().height + 35}
            text-anchor="middle"
          >
            devices
          </text>
        </g>
        <For each={isOneIdeal() ? props.lines.slice(0, 1) : props.lines}>
          {(line) => <polyline class="scaling-ideal" points={idealPath(line)} />}
        </For>
        <For each={props.lines}>
          {(line, position) => (
            <g style={{ color: colourOf(position()) }}>
              <polyline
                class="scaling-line"
                classList={{ 'is-benchmark': line.source === 'benchmark' }}
                points={line.rows
                  .map((row) => `${x(row.device_count)},${y(props.measure.value(row))}`)
                  .join(' ')}
              />
              <For each={line.rows}>
                {(row) => (
                  <circle
                    cx={x(row.device_count)}
                    cy={y(props.measure.value(row))}
                    r="5"
                    onPointerEnter={() =>
                      setPointed({
                        row,
                        x: x(row.device_count),
                        y: y(props.measure.value(row)),
                      })
                    }
                    onPointerLeave={() => setPointed(null)}
                  />
                )}
              </For>
            </g>
          )}
        </For>
      </svg>
      <Show when={pointed()}>
        {(at) => (
          <div
            class="scaling-tip"
            classList={{ 'is-left': at().x > size().width / 2 }}
            style={{ left: `${at().x}px`, top: `${at().y}px` }}
          >
            <strong>{at().row.method}</strong> on {plural(at().row.device_count, 'device')}
            <br />
            step {formatDuration(at().row.step_ps)}, {formatTimes(at().row.speedup_ratio)} of{' '}
            {formatTimes(at().row.ideal_speedup_ratio)}
            <br />
            efficiency {formatRatio(at().row.efficiency_ratio)}
          </div>
        )}
      </Show>
    </div>
  );
}
