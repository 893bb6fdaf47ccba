/** Intensity against rate on logarithmic axes, under the roofs of the chip. */
import { createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js';

import { format, formatDuration, formatRatio } from '../../format/numbers';
import { classColour } from '../../format/palette';
import type { RooflinePeak } from '../../wire/generated/RooflinePeak';
import type { RooflineRow } from '../../wire/generated/RooflineRow';
import '../../widgets/flame/flame.css';
import { axisOf, place, roofOf, ticksOf, type Axis } from './scale';

/** Points drawn; the table has the others. */
const MOST_POINTS = 1200;

const LEVELS: Record<string, string> = {
  all: 'all bytes',
  hbm: 'device memory',
  cmem_read: 'CMEM reads',
  cmem_write: 'CMEM writes',
  vmem_read: 'VMEM reads',
  vmem_write: 'VMEM writes',
  shared: 'shared memory',
};

/** What a memory is called. */
export const levelTitle = (level: string) => LEVELS[level] ?? level;

/** FLOP per byte of the memory looked at. */
export function intensityOf(row: RooflineRow, level: string): number | null {
  if (level === 'all') return row.intensity;
  return row.levels.find((found) => found.level === level)?.intensity ?? null;
}

/** Points that have a place on logarithmic axes. */
export function plotted(rows: readonly RooflineRow[], level: string): RooflineRow[] {
  const found = rows.filter(
    (row) => (row.flop_rate ?? 0) > 0 && (intensityOf(row, level) ?? 0) > 0,
  );
  return found.slice(0, MOST_POINTS);
}

interface ChartProps {
  rows: readonly RooflineRow[];
  scopes: readonly RooflineRow[];
  peaks: readonly RooflinePeak[];
  level: string;
  selected: RooflineRow | undefined;
  onSelect: (row: RooflineRow | undefined) => void;
}

/** Pixels of a character of a roof's name. */
const NAME_WIDTH = 6.2;
const MARGIN = { left: 64, right: 16, top: 14, bottom: 42 };

export function RooflineChart(props: ChartProps) {
  let box!: HTMLDivElement;
  const [size, setSize] = createSignal({ width: 800, height: 360 });
  const [pointed, setPointed] = createSignal<{ row: RooflineRow; x: number; y: number } | null>(
    null,
  );
  onMount(() => {
    const observer = new ResizeObserver(() =>
      setSize({ width: box.clientWidth, height: box.clientHeight }),
    );
    observer.observe(box);
    onCleanup(() => observer.disconnect());
  });
  const points = createMemo(() => plotted(props.rows, props.level));
  const marks = createMemo(() => plotted(props.scopes, props.level));
  const flops = () => props.peaks.find((peak) => peak.level === 'compute')?.per_second ?? null;
  const memories = createMemo(() =>
    props.peaks.filter((peak) => peak.level !== 'compute' && peak.per_second !== null),
  );
  const xAxis = createMemo(() => {
    const found = [...points(), ...marks()].map((row) => intensityOf(row, props.level) ?? 0);
    const ridges = memories().map((peak) => peak.ridge_intensity ?? 0);
    return axisOf([...found, ...ridges]);
  });
  const yAxis = createMemo(() => {
    const found = [...points(), ...marks()].map((row) => row.flop_rate ?? 0);
    return axisOf([...found, flops() ?? 0]);
  });
  const inner = () => ({
    width: Math.max(50, size().width - MARGIN.left - MARGIN.right),
    height: Math.max(50, size().height - MARGIN.top - MARGIN.bottom),
  });
  const x = (value: number) => MARGIN.left + place(xAxis(), value) * inner().width;
  const y = (value: number) => MARGIN.top + (1 - place(yAxis(), value)) * inner().height;
  const placeOf = (row: RooflineRow) => ({
    x: x(intensityOf(row, props.level) ?? 1),
    y: y(row.flop_rate ?? 1),
  });
  const radius = (row: RooflineRow) => 3 + 13 * Math.sqrt(Math.min(1, row.self_ratio));
  const hover = (row: RooflineRow, event: PointerEvent) => {
    const bounds = box.getBoundingClientRect();
    setPointed({ row, x: event.clientX - bounds.left, y: event.clientY - bounds.top });
  };
  return (
    <div class="roofline-chart" ref={box}>
      <svg
        width={size().width}
        height={size().height}
        role="img"
        aria-label={`Roofline of ${points().length} ops`}
        onClick={() => props.onSelect(undefined)}
      >
        <clipPath id="roofline-clip">
          <rect x={MARGIN.left} y={MARGIN.top} width={inner().width} height={inner().height} />
        </clipPath>
        <Grid x={xAxis()} y={yAxis()} toX={x} toY={y} inner={inner()} />
        <Show when={props.level !== 'all' || memories().length > 0}>
          <For each={memories()}>
            {(peak, position) => (
              <Roof
                position={position()}
                peak={peak}
                flops={flops()}
                axis={xAxis()}
                toX={x}
                toY={y}
                isMain={isMain(peak.level, props.level)}
              />
            )}
          </For>
        </Show>
        <Show when={points().length === 0}>
          <text
            class="roofline-none halo"
            x={MARGIN.left + inner().width / 2}
            y={MARGIN.top + inner().height * 0.8}
            text-anchor="middle"
          >
            No op has known FLOPs and bytes, so none has a place here
          </text>
        </Show>
        <g clip-path="url(#roofline-clip)">
          <For each={points()}>
            {(row) => (
              <circle
                class="roofline-point"
                classList={{ 'is-selected': row === props.selected, 'is-over': row.is_over_peak }}
                cx={placeOf(row).x}
                cy={placeOf(row).y}
                r={radius(row)}
                fill={classColour(row.class)}
                onPointerMove={(event) => hover(row, event)}
                onPointerLeave={() => setPointed(null)}
                onClick={(event) => {
                  event.stopPropagation();
                  props.onSelect(row);
                }}
              />
            )}
          </For>
          <For each={marks()}>
            {(row) => (
              <path
                class="roofline-mark"
                classList={{ [`is-${row.kind}`]: true }}
                d={`M ${placeOf(row).x} ${placeOf(row).y - 7} l 7 7 l -7 7 l -7 -7 z`}
                onPointerMove={(event) => hover(row, event)}
                onPointerLeave={() => setPointed(null)}
              />
            )}
          </For>
        </g>
      </svg>
      <Show when={pointed()}>
        {(found) => (
          <div
            class="flame-details roofline-tip"
            style={{
              left: `${Math.min(found().x + 14, size().width - 320)}px`,
              top: `${Math.min(found().y + 14, size().height - 150)}px`,
            }}
          >
            <Tip row={found().row} level={props.level} />
          </div>
        )}
      </Show>
    </div>
  );
}

/** The roof of the memory that intensities are of; device memory's where they are of all bytes. */
const isMain = (roof: string, level: string) => roof === (level === 'all' ? 'hbm' : level);

/** `100 T` for 1e14: the unit stands beside the axis. */
function tickText(value: number): string {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  const index = Math.max(0, Math.min(6, Math.floor(Math.log10(value) / 3 + 1e-9)));
  const digits = value / 1000 ** index;
  return `${digits >= 1 ? Math.round(digits) : digits.toPrecision(1)} ${prefixes[index] ?? ''}`;
}

function Grid(props: {
  x: Axis;
  y: Axis;
  toX: (value: number) => number;
  toY: (value: number) => number;
  inner: { width: number; height: number };
}) {
  const bottom = () => MARGIN.top + props.inner.height;
  const right = () => MARGIN.left + props.inner.width;
  return (
    <g class="roofline-grid">
      <For each={ticksOf(props.x, Math.floor(props.inner.width / 70))}>
        {(tick) => (
          <>
            <line x1={props.toX(tick)} x2={props.toX(tick)} y1={MARGIN.top} y2={bottom()} />
            <text x={props.toX(tick)} y={bottom() + 16} text-anchor="middle">
              {tick >= 0.01 && tick < 1e5 ? tick : tick.toExponential(0)}
            </text>
          </>
        )}
      </For>
      <For each={ticksOf(props.y, Math.floor(props.inner.height / 34))}>
        {(tick) => (
          <>
            <line x1={MARGIN.left} x2={right()} y1={props.toY(tick)} y2={props.toY(tick)} />
            <text x={MARGIN.left - 8} y={props.toY(tick) + 4} text-anchor="end">
              {tickText(tick)}
            </text>
          </>
        )}
      </For>
      <text x={MARGIN.left + props.inner.width / 2} y={bottom() + 34} text-anchor="middle">
        FLOP per byte
      </text>
      <text
        transform={`translate(13 ${MARGIN.top + props.inner.height / 2}) rotate(-90)`}
        text-anchor="middle"
      >
        FLOP per second
      </text>
    </g>
  );
}

function Roof(props: {
  peak: RooflinePeak;
  flops: number | null;
  axis: Axis;
  toX: (value: number) => number;
  toY: (value: number) => number;
  isMain: boolean;
  /** Its number among the roofs. */
  position: number;
}) {
  const bytes = () => props.peak.per_second ?? 1;
  const line = () =>
    roofOf(props.axis, bytes(), props.flops)
      .map(([x, y]) => `${props.toX(x)},${props.toY(y)}`)
      .join(' ');
  const ridge = () => props.peak.ridge_intensity;
  const name = () => `${levelTitle(props.peak.level)} ${format('bandwidth', bytes())}`;
  /** A place on the slope for the end of its name, each roof's at another height. */
  const label = () => {
    const to = Math.min(ridge() ?? props.axis.to, props.axis.to);
    const from = props.toX(props.axis.from);
    const share = (props.toX(props.axis.to) - from) / Math.log(props.axis.to / props.axis.from);
    const wanted = from + share * Math.log(to / props.axis.from) * (0.8 - 0.22 * props.position);
    // Where the slope is short the name begins at the axis.
    const x = Math.max(wanted, from + 6 + name().length * NAME_WIDTH);
    const at = props.axis.from * Math.exp((x - from) / share);
    return { x, y: props.toY(Math.min(at * bytes(), props.flops ?? Infinity)) };
  };
  const isNearRight = () =>
    (ridge() ?? 1) > props.axis.to / (props.axis.to / props.axis.from) ** 0.15;
  return (
    <g class="roofline-roof" classList={{ 'is-main': props.isMain }}>
      <polyline points={line()} clip-path="url(#roofline-clip)" />
      <text class="halo" x={label().x} y={label().y - 8} text-anchor="end">
        {name()}
      </text>
      <Show when={props.isMain && ridge() !== null && props.flops !== null}>
        <line
          class="roofline-ridge"
          x1={props.toX(ridge() ?? 1)}
          x2={props.toX(ridge() ?? 1)}
          y1={props.toY(props.flops ?? 1)}
          y2={props.toY(props.flops ?? 1) + 42}
        />
        <text
          x={props.toX(ridge() ?? 1) + (isNearRight() ? -5 : 5)}
          y={props.toY(props.flops ?? 1) + 40}
          text-anchor={isNearRight() ? 'end' : 'start'}
        >
          ridge {(ridge() ?? 0).toPrecision(3)} FLOP/B
        </text>
        <text
          x={props.toX(props.axis.to) - 6}
          y={props.toY(props.flops ?? 1) - 5}
          text-anchor="end"
        >
          compute {format('flop_rate', props.flops)}
        </text>
      </Show>
    </g>
  );
}

function Tip(props: { row: RooflineRow; level: string }) {
  return (
    <>
      <p class="mono">
        <strong>{props.row.name}</strong>
      </p>
      <p class="muted">{props.row.category || props.row.kind}</p>
      <table>
        <tbody>
          <tr>
            <td>{props.row.kind === 'op' ? 'Self' : 'Time'}</td>
            <td class="number">
              {formatDuration(props.row.kind === 'op' ? props.row.self_ps : props.row.total_ps)}
            </td>
          </tr>
          <tr>
            <td>Rate</td>
            <td class="number">
              {format('flop_rate', props.row.flop_rate)}
              {props.row.compute_ratio === null
                ? ''
                : ` (${formatRatio(props.row.compute_ratio)} of the peak)`}
            </td>
          </tr>
          <tr>
            <td>Intensity</td>
            <td class="number">
              {(intensityOf(props.row, props.level) ?? 0).toPrecision(3)} FLOP/B
            </td>
          </tr>
          <Show when={props.row.bound_by}>
            <tr>
              <td>Bound by</td>
              <td class="number">
                {props.row.bound_by}, {formatRatio(props.row.roofline_ratio)} of it
              </td>
            </tr>
          </Show>
        </tbody>
      </table>
    </>
  );
}
