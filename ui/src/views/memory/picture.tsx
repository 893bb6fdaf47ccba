/** Memory of one allocator over time: a step line, its peak, its capacity, the steps behind it. */
import { createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js';

import { formatBytes, formatDuration, formatRatio, formatTime } from '../../format/numbers';
import { hrefTo } from '../../shell/state';
import { formatRange, formatSliceRef } from '../../timeline/address';
import { tickLabel, timeAxis } from '../../timeline/time-axis';
import { Legend } from '../../widgets/bars';
import type { AllocatorRow } from '../../wire/generated/AllocatorRow';
import type { MemoryTimeline } from '../../wire/generated/MemoryTimeline';
import type { StepMemoryRow } from '../../wire/generated/StepMemoryRow';
import { extentOf, levelsOf, pointAt, stepPath, takenOf } from './line';

const HEIGHT = 220;
/** Left of the picture, the bytes of its levels; below it, times. */
const LEFT = 64;
const BELOW = 20;
/** Pixels between two times at the least. */
const TICK_GAP = 110;
const RESERVED_COLOUR = 'color-mix(in srgb, var(--phase-rematerialised) 45%, transparent)';
/** More steps than pixels shade nothing. */
const MOST_STEPS = 400;

export function Picture(props: {
  row: AllocatorRow;
  line: MemoryTimeline;
  steps: readonly StepMemoryRow[];
}) {
  let box!: HTMLDivElement;
  const [width, setWidth] = createSignal(900);
  const [pointer, setPointer] = createSignal<number | null>(null);
  onMount(() => {
    const observer = new ResizeObserver(() => setWidth(Math.max(200, box.clientWidth - LEFT)));
    observer.observe(box);
    onCleanup(() => observer.disconnect());
  });
  const taken = createMemo(() => takenOf(props.line));
  const extent = createMemo(() => extentOf(props.line));
  const path = createMemo(() =>
    stepPath(props.line.times_ps, taken(), extent(), width(), HEIGHT),
  );
  const reserved = createMemo(() =>
    props.line.reserved_bytes.some((bytes) => bytes > 0)
      ? stepPath(props.line.times_ps, props.line.reserved_bytes, extent(), width(), HEIGHT)
      : null,
  );
  const x = (time: number) =>
    ((time - extent().startPs) / (extent().endPs - extent().startPs)) * width();
  const y = (bytes: number) => HEIGHT - (bytes / extent().topBytes) * HEIGHT;
  const timeAt = (at: number) =>
    extent().startPs + (at / width()) * (extent().endPs - extent().startPs);
  const under = createMemo(() => {
    const at = pointer();
    if (at === null) return null;
    const time = timeAt(at);
    const index = pointAt(props.line.times_ps, time);
    if (index < 0) return null;
    const step = props.steps.find(
      (found) => found.start_ps <= time && time < found.start_ps + found.duration_ps,
    );
    return {
      time,
      bytes: taken()[index] ?? 0,
      fragmentation: props.line.fragmentation_ratios[index] ?? 0,
      step: step?.step,
    };
  });
  const shaded = () => (props.steps.length <= MOST_STEPS ? props.steps : []);
  const peakLink = () => {
    const margin = Math.max(1, (extent().endPs - extent().startPs) / 40);
    const window = { startPs: props.row.peak_ps - margin, endPs: props.row.peak_ps + margin };
    return hrefTo({
      view: 'timeline',
      params: { window: formatRange(window), slice: formatSliceRef(props.row.peak_slice) },
    });
  };
  const levels = () => levelsOf(extent().topBytes);
  const axis = createMemo(() => timeAxis(extent(), width(), TICK_GAP));
  const ticks = () =>
    Array.from({ length: axis().count }, (_, index) => axis().firstPs + index * axis().stepPs);
  const hasCapacity = () => props.row.capacity_bytes <= extent().topBytes;
  const legend = () => [
    { title: 'In use', colour: 'color-mix(in srgb, var(--accent) 30%, transparent)' },
    ...(reserved() === null
      ? []
      : [{ title: 'of it set aside for programs', colour: RESERVED_COLOUR }]),
    ...(hasCapacity() ? [{ title: 'Capacity', colour: 'var(--problem)' }] : []),
    ...(shaded().some((step) => step.is_spike)
      ? [{ title: 'Step with a spike', colour: 'var(--problem-soft)' }]
      : []),
  ];

  return (
    <div class="memory-picture">
      <div class="memory-reading muted number">
        <Show
          when={under()}
          fallback={
            <>
              <a href={peakLink()}>Peak {formatBytes(props.row.peak_bytes)}</a> at{' '}
              {formatTime(props.row.peak_ps)}
              <Show when={props.row.peak_step !== null}> in step {props.row.peak_step}</Show>
            </>
          }
        >
          {(found) => (
            <>
              {formatTime(found().time)}: <strong>{formatBytes(found().bytes)}</strong>
              <Show when={found().step !== undefined}>, step {found().step}</Show>, fragmentation{' '}
              {formatRatio(found().fragmentation)}
            </>
          )}
        </Show>
        <span class="spacer" />
        <Legend entries={legend()} />
        <span class="memory-extent">
          {formatTime(extent().startPs)} … {formatTime(extent().endPs)} (
          {formatDuration(extent().endPs - extent().startPs)})
        </span>
      </div>
      <div
        ref={box}
        class="memory-box"
        onPointerMove={(event) => {
          const at = event.clientX - box.getBoundingClientRect().left - LEFT;
          setPointer(at >= 0 ? at : null);
        }}
        onPointerLeave={() => setPointer(null)}
      >
        <svg
          width={width() + LEFT}
          height={HEIGHT + BELOW}
          viewBox={`${-LEFT} 0 ${width() + LEFT} ${HEIGHT + BELOW}`}
          role="img"
          aria-label="Memory in use over time"
        >
          <For each={shaded()}>
            {(step, index) => (
              <rect
                class="memory-step"
                classList={{ 'is-odd': index() % 2 === 1, 'is-spike': step.is_spike }}
                x={x(step.start_ps)}
                y={0}
                width={Math.max(0.5, x(step.start_ps + step.duration_ps) - x(step.start_ps))}
                height={HEIGHT}
              />
            )}
          </For>
          <For each={levels()}>
            {(bytes) => (
              <line class="memory-level" x1={0} x2={width()} y1={y(bytes)} y2={y(bytes)} />
            )}
          </For>
          <path class="memory-area" d={`${path()}V${HEIGHT}H0Z`} />
          <Show when={reserved()}>
            {(line) => <path class="memory-reserved" d={`${line()}V${HEIGHT}H0Z`} />}
          </Show>
          <path class="memory-line" d={path()} />
          <Show when={hasCapacity()}>
            <line
              class="memory-capacity"
              x1={0}
              x2={width()}
              y1={y(props.row.capacity_bytes)}
              y2={y(props.row.capacity_bytes)}
            />
          </Show>
          <For each={levels()}>
            {(bytes) => (
              <text class="memory-text" x={-8} y={Math.max(10, y(bytes) + 3)} text-anchor="end">
                {formatBytes(Math.round(bytes))}
              </text>
            )}
          </For>
          <line class="memory-level" x1={0} x2={width()} y1={HEIGHT} y2={HEIGHT} />
          <For each={ticks()}>
            {(time) => (
              <Show when={x(time) < width() - 30}>
                <line class="memory-tick" x1={x(time)} x2={x(time)} y1={HEIGHT} y2={HEIGHT + 4} />
                <text class="memory-text" x={x(time)} y={HEIGHT + 15} text-anchor="middle">
                  {tickLabel(axis(), time)}
                </text>
              </Show>
            )}
          </For>
          <circle
            class="memory-peak"
            cx={Math.min(width() - 6, Math.max(6, x(props.row.peak_ps)))}
            cy={y(props.row.peak_bytes)}
            r={4}
          />
          <Show when={pointer() !== null}>
            <line class="memory-pointer" x1={pointer()!} x2={pointer()!} y1={0} y2={HEIGHT} />
          </Show>
        </svg>
      </div>
    </div>
  );
}
