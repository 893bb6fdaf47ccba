/** Memory over the schedule: the curve, and the buffers that it sums. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatBytes, formatCount } from '../../format/numbers';
import { figureAcross, figureAxis } from '../../widgets/chart/axis';
import type { Frame } from '../../widgets/chart/frame';
import { areaPath, stepPath } from '../../widgets/chart/paths';
import { Plot } from '../../widgets/chart/plot';
import { nearestIndex } from '../../widgets/chart/points';
import { createZoom } from '../../widgets/chart/zoom';
import type { BuffersReport } from '../../wire/generated/BuffersReport';
import type { BufferLifetime } from '../../wire/generated/BufferLifetime';
import type { BufferPoint } from '../../wire/generated/BufferPoint';
import { blockAt, blockOf } from './blocks';

const CURVE_HEIGHT = 190;
const BLOCKS_HEIGHT = 262;
/** The same in both charts, so that points of the schedule line up. */
const MARGIN = { left: 56 };

interface ChartProps {
  report: BuffersReport;
  onPoint: (position: number) => void;
}

/** Both charts zoom together. */
const zoom = createZoom('span');

const pointsAcross = (report: BuffersReport) =>
  figureAcross('Point', 'count', 0, Math.max(1, report.point_count - 1));

export function Curve(props: ChartProps) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const positions = createMemo(() => props.report.curve.map((point) => point.position));
  const shown = () => {
    const index = pointed();
    if (index !== null) return props.report.curve[index];
    return props.report.curve.find((point) => point.position === props.report.position);
  };
  const placeOf = (
    point: BufferPoint,
    frame: Frame,
    key: 'bytes' | 'unpadded_bytes' = 'bytes',
  ) => ({
    x: frame.x(point.position),
    y: frame.y(point[key]),
  });
  const line = (key: 'bytes' | 'unpadded_bytes', frame: Frame) =>
    stepPath(
      props.report.curve.map((point) => placeOf(point, frame, key)),
      frame.width,
    );
  return (
    <div class="buffers-curve">
      <Plot
        label={`Memory over the schedule, point ${props.report.position} selected`}
        height={CURVE_HEIGHT}
        margin={MARGIN}
        x={pointsAcross(props.report)}
        y={figureAxis('', 'bytes', 0, props.report.peak_bytes)}
        rows={[props.report.curve.length]}
        hit={({ x }, frame) => nearestIndex(positions(), frame.atX(x))}
        placeOf={(index, frame) => {
          const point = props.report.curve[index];
          return point ? placeOf(point, frame) : { x: 0, y: 0 };
        }}
        at={pointed()}
        onAt={setPointed}
        onOpen={(index) => props.onPoint(positions()[index] ?? 0)}
        zoom={zoom}
        data={() => ({
          columns: ['position', 'bytes', 'unpadded_bytes', 'instruction'],
          rows: props.report.curve.map((point) => [
            point.position,
            point.bytes,
            point.unpadded_bytes,
            point.instruction,
          ]),
        })}
        hasCursor
        readout={(index) => (
          <Show when={props.report.curve[index]}>
            {(point) => <strong class="number">{formatBytes(point().bytes)}</strong>}
          </Show>
        )}
      >
        {(frame) => (
          <>
            <path class="buffers-area" d={areaPath(line('bytes', frame()), 0, frame().height)} />
            <path class="buffers-line" d={line('bytes', frame())} />
            <Show when={props.report.peak_unpadded_bytes < props.report.peak_bytes}>
              <path class="buffers-unpadded" d={line('unpadded_bytes', frame())} />
            </Show>
            <Mark class="buffers-peak" frame={frame()} position={props.report.peak_position} />
            <Mark class="buffers-position" frame={frame()} position={props.report.position} />
          </>
        )}
      </Plot>
      <p class="buffers-caption">
        <Show when={shown()}>
          {(point) => <Caption point={point()} last={props.report.point_count - 1} />}
        </Show>
      </p>
    </div>
  );
}

/** A vertical line at a point of the schedule. */
function Mark(props: { class: string; frame: Frame; position: number }) {
  const x = () => props.frame.x(props.position);
  return <line class={props.class} x1={x()} x2={x()} y1="0" y2={props.frame.height} />;
}

function Caption(props: { point: BufferPoint; last: number }) {
  return (
    <>
      Point {formatCount(props.point.position)} of {formatCount(props.last)}:{' '}
      <b class="number">{formatBytes(props.point.bytes)}</b>
      <Show when={props.point.unpadded_bytes < props.point.bytes}>
        , {formatBytes(props.point.unpadded_bytes)} without padding
      </Show>
      <Show when={props.point.instruction}>
        {' '}
        at <code>{props.point.instruction}</code>
      </Show>
    </>
  );
}

const PASS_COLORS: Record<string, string> = {
  forward: 'var(--phase-forward)',
  backward: 'var(--phase-backward)',
  rematerialized: 'var(--phase-rematerialized)',
};

const PASSES = [
  { phase: 'forward', title: 'Forward' },
  { phase: 'backward', title: 'Backward' },
  { phase: 'rematerialized', title: 'Rematerialized' },
  { phase: '', title: 'Unknown' },
];
const colorOf = (life: BufferLifetime) => PASS_COLORS[life.phase] ?? 'var(--text-faint)';
const passOf = (life: BufferLifetime) => (life.phase in PASS_COLORS ? life.phase : '');

/** Legend entries for the passes that occur. */
export const passesOf = (lifetimes: readonly BufferLifetime[]) =>
  PASSES.filter(({ phase }) => lifetimes.some((life) => passOf(life) === phase)).map(
    ({ phase, title }) => ({ title, color: PASS_COLORS[phase] ?? 'var(--text-faint)' }),
  );

/** Every buffer of the heap as a rectangle: x is its lifetime, y its place in the allocation. */
export function Blocks(props: ChartProps) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  /** In the order of the schedule, for navigation by keyboard. */
  const lives = createMemo(() => [...props.report.lifetimes].sort((a, b) => a.start - b.start));
  return (
    <div class="buffers-blocks">
      <Plot
        label="Buffers over the schedule"
        height={BLOCKS_HEIGHT}
        margin={MARGIN}
        x={pointsAcross(props.report)}
        y={figureAxis('Offset', 'bytes', 0, Math.max(1, props.report.heap_bytes ?? 0))}
        rows={[lives().length]}
        hit={(place, frame) => blockAt(lives(), place, frame)}
        placeOf={(index, frame) => {
          const life = lives()[index];
          if (!life) return { x: 0, y: 0 };
          const { x, y, width, height } = blockOf(life, frame);
          return { x: x + width / 2, y: y + height / 2 };
        }}
        at={pointed()}
        onAt={setPointed}
        onOpen={(index) => props.onPoint(lives()[index]?.start ?? 0)}
        zoom={zoom}
        data={() => ({
          columns: ['name', 'bytes', 'offset_bytes', 'start', 'end'],
          rows: lives().map(({ name, bytes, offset_bytes, start, end }) => [
            name,
            bytes,
            offset_bytes,
            start,
            end,
          ]),
        })}
        readout={(index) => (
          <Show when={lives()[index]}>
            {(life) => (
              <>
                <p class="mono">{life().name}</p>
                <p class="muted number">
                  {formatBytes(life().bytes)} at {formatBytes(life().offset_bytes)}, points{' '}
                  {formatCount(life().start)} to {formatCount(life().end)}
                </p>
              </>
            )}
          </Show>
        )}
      >
        {(frame) => (
          <>
            <rect class="buffers-heap" width={frame().width} height={frame().height} />
            <For each={lives()}>
              {(life) => <rect {...blockOf(life, frame())} style={{ fill: colorOf(life) }} />}
            </For>
            <Show when={lives()[pointed() ?? -1]}>
              {(life) => (
                <rect
                  class="is-pointed"
                  {...blockOf(life(), frame())}
                  style={{ fill: colorOf(life()) }}
                />
              )}
            </Show>
            <Mark class="buffers-position" frame={frame()} position={props.report.position} />
          </>
        )}
      </Plot>
    </div>
  );
}
