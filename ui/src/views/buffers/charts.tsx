/** What is held over the schedule: the curve, and the buffers that make it. */
import { createSignal, For, onCleanup, onMount, Show } from 'solid-js';

import { formatBytes, formatCount } from '../../format/numbers';
import type { BuffersReport } from '../../wire/generated/BuffersReport';
import type { BufferLifetime } from '../../wire/generated/BufferLifetime';
import type { BufferPoint } from '../../wire/generated/BufferPoint';
import { areaPath, blockOf, curvePath, nearest, xOf } from './chart';

const CURVE_HEIGHT = 150;
const BLOCKS_HEIGHT = 220;
/** Shares of the peak with a line across. */
const LEVELS = [1, 0.5];

/** The width of an element, as it changes. */
function createWidth(): [width: () => number, ref: (element: HTMLElement) => void] {
  const [width, setWidth] = createSignal(800);
  let own: HTMLElement | undefined;
  onMount(() => {
    if (!own) return;
    const observer = new ResizeObserver(() => setWidth(own?.clientWidth ?? 800));
    observer.observe(own);
    onCleanup(() => observer.disconnect());
  });
  return [width, (element) => (own = element)];
}

export function Curve(props: { report: BuffersReport; onPoint: (position: number) => void }) {
  const [width, ref] = createWidth();
  const [hovered, setHovered] = createSignal<BufferPoint>();
  const size = () => ({ width: width(), height: CURVE_HEIGHT });
  const top = () => props.report.peak_bytes;
  const path = (key: 'bytes' | 'unpadded_bytes') =>
    curvePath(props.report.curve, key, props.report.point_count, top(), size());
  const x = (position: number) => xOf(position, props.report.point_count, width());
  const pointAt = (event: MouseEvent & { currentTarget: Element }) => {
    const left = event.currentTarget.getBoundingClientRect().left;
    return nearest(props.report.curve, event.clientX - left, props.report.point_count, width());
  };
  const step = (by: number) => {
    const { curve, position } = props.report;
    const index = curve.findIndex((point) => point.position >= position);
    const next = curve[Math.max(0, Math.min(curve.length - 1, index + by))];
    if (next) props.onPoint(next.position);
  };
  const shown = () =>
    hovered() ?? props.report.curve.find((point) => point.position === props.report.position);
  return (
    <div class="buffers-curve" ref={ref}>
      <svg
        width={width()}
        height={CURVE_HEIGHT}
        tabindex="0"
        role="slider"
        aria-label="Point of the schedule"
        aria-valuenow={props.report.position}
        aria-valuemin={0}
        aria-valuemax={props.report.point_count - 1}
        onMouseMove={(event) => setHovered(pointAt(event))}
        onMouseLeave={() => setHovered(undefined)}
        onClick={(event) => {
          const point = pointAt(event);
          if (point) props.onPoint(point.position);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowRight') step(1);
          else if (event.key === 'ArrowLeft') step(-1);
          else if (event.key === 'Home') props.onPoint(props.report.peak_position);
          else return;
          event.preventDefault();
        }}
      >
        <For each={LEVELS}>
          {(share) => (
            <line
              class="buffers-level"
              x1="0"
              x2={width()}
              y1={(1 - share) * CURVE_HEIGHT + 0.5}
              y2={(1 - share) * CURVE_HEIGHT + 0.5}
            />
          )}
        </For>
        <path class="buffers-area" d={areaPath(path('bytes'), size())} />
        <path class="buffers-line" d={path('bytes')} />
        <Show when={props.report.peak_unpadded_bytes < props.report.peak_bytes}>
          <path class="buffers-unpadded" d={path('unpadded_bytes')} />
        </Show>
        <line
          class="buffers-peak"
          x1={x(props.report.peak_position)}
          x2={x(props.report.peak_position)}
          y1="0"
          y2={CURVE_HEIGHT}
        />
        <line
          class="buffers-position"
          x1={x(props.report.position)}
          x2={x(props.report.position)}
          y1="0"
          y2={CURVE_HEIGHT}
        />
        <For each={LEVELS}>
          {(share) => (
            <text class="buffers-text halo" x="4" y={(1 - share) * CURVE_HEIGHT + 12}>
              {formatBytes(Math.round(share * top()))}
            </text>
          )}
        </For>
        <Show when={hovered()}>
          {(point) => (
            <line
              class="buffers-hover"
              x1={x(point().position)}
              x2={x(point().position)}
              y1="0"
              y2={CURVE_HEIGHT}
            />
          )}
        </Show>
      </svg>
      <p class="buffers-caption">
        <Show when={shown()}>
          {(point) => (
            <>
              Point {formatCount(point().position)} of {formatCount(props.report.point_count - 1)}:{' '}
              <b class="number">{formatBytes(point().bytes)}</b>
              <Show when={point().unpadded_bytes < point().bytes}>
                , {formatBytes(point().unpadded_bytes)} without padding
              </Show>
              <Show when={point().instruction}>
                {' '}
                at <code>{point().instruction}</code>
              </Show>
            </>
          )}
        </Show>
      </p>
    </div>
  );
}

const PASS_COLOURS: Record<string, string> = {
  forward: 'var(--phase-forward)',
  backward: 'var(--phase-backward)',
  rematerialised: 'var(--phase-rematerialised)',
};

const PASSES = [
  { phase: 'forward', title: 'Forward' },
  { phase: 'backward', title: 'Backward' },
  { phase: 'rematerialised', title: 'Rematerialized' },
  { phase: '', title: 'Not known' },
];
const passOf = (life: BufferLifetime) => (life.phase in PASS_COLOURS ? life.phase : '');

/** Legend of the passes that some buffer belongs to. */
export const passesOf = (lifetimes: readonly BufferLifetime[]) =>
  PASSES.filter(({ phase }) => lifetimes.some((life) => passOf(life) === phase)).map(
    ({ phase, title }) => ({ title, colour: PASS_COLOURS[phase] ?? 'var(--text-faint)' }),
  );

const textOf = (life: BufferLifetime) =>
  `${life.name}: ${formatBytes(life.bytes)} at ${formatBytes(life.offset_bytes)}, ` +
  `points ${life.start} to ${life.end}`;

/** Every buffer of the heap as a rectangle: when, and where in its allocation. */
export function Blocks(props: { report: BuffersReport; onPoint: (position: number) => void }) {
  const [width, ref] = createWidth();
  const size = () => ({ width: width(), height: BLOCKS_HEIGHT });
  return (
    <div class="buffers-blocks" ref={ref}>
      <svg width={width()} height={BLOCKS_HEIGHT} role="img" aria-label="Buffers over the schedule">
        <For each={props.report.lifetimes}>
          {(life) => (
            <rect
              {...blockOf(life, props.report.point_count, props.report.heap_bytes ?? 0, size())}
              style={{ fill: PASS_COLOURS[life.phase] ?? 'var(--text-faint)' }}
              data-tip={textOf(life)}
              onClick={() => props.onPoint(life.start)}
            />
          )}
        </For>
        <line
          class="buffers-position"
          x1={xOf(props.report.position, props.report.point_count, width())}
          x2={xOf(props.report.position, props.report.point_count, width())}
          y1="0"
          y2={BLOCKS_HEIGHT}
        />
      </svg>
    </div>
  );
}
