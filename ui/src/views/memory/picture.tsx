/** Memory of one allocator over time: a step line, its peak, its capacity, the steps behind it. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatBytes, formatDuration, formatRatio, formatTime } from '../../format/numbers';
import { hrefTo } from '../../shell/state';
import { formatRange, formatSliceRef } from '../../timeline/address';
import { Legend } from '../../widgets/bars';
import { figureAxis, timeAcross } from '../../widgets/chart/axis';
import type { Frame } from '../../widgets/chart/frame';
import { areaPath, stepPath } from '../../widgets/chart/paths';
import { Plot } from '../../widgets/chart/plot';
import { holdingIndex } from '../../widgets/chart/points';
import { createZoom } from '../../widgets/chart/zoom';
import type { AllocatorRow } from '../../wire/generated/AllocatorRow';
import type { MemoryTimeline } from '../../wire/generated/MemoryTimeline';
import type { StepMemoryRow } from '../../wire/generated/StepMemoryRow';
import { extentOf, takenOf } from './line';

const HEIGHT = 262;
const RESERVED_COLOR = 'color-mix(in srgb, var(--phase-rematerialized) 45%, transparent)';
/** With more steps than this, none is shaded. */
const MOST_STEPS = 400;

interface PictureProps {
  row: AllocatorRow;
  line: MemoryTimeline;
  steps: readonly StepMemoryRow[];
  /** The moment whose allocations are listed; null for the peak. */
  atPs: number | null;
  onMoment: (atPs: number) => void;
}

export function Picture(props: PictureProps) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const zoom = createZoom('span');
  const taken = createMemo(() => takenOf(props.line));
  const extent = createMemo(() => extentOf(props.line));
  const placeOf = (index: number, bytes: readonly number[], frame: Frame) => ({
    x: frame.x(props.line.times_ps[index] ?? 0),
    y: frame.y(bytes[index] ?? 0),
  });
  const path = (bytes: readonly number[], frame: Frame) =>
    stepPath(bytes.map((_, index) => placeOf(index, bytes, frame)));
  /** A peak at the very edge of the whole picture is moved into it. */
  const peakAt = (frame: Frame) => {
    const x = frame.x(props.row.peak_ps);
    return zoom.range() ? x : Math.min(frame.width - 6, Math.max(6, x));
  };
  const hasReserved = () => props.line.reserved_bytes.some((bytes) => bytes > 0);
  const hasCapacity = () => props.row.capacity_bytes <= extent().topBytes;
  const shaded = () => (props.steps.length <= MOST_STEPS ? props.steps : []);
  const legend = () => [
    { title: 'In use', color: 'color-mix(in srgb, var(--accent) 30%, transparent)' },
    ...(hasReserved() ? [{ title: 'of which reserved for programs', color: RESERVED_COLOR }] : []),
    ...(hasCapacity() ? [{ title: 'Capacity', color: 'var(--problem)' }] : []),
    ...(shaded().some((step) => step.is_spike)
      ? [{ title: 'Step with a spike', color: 'var(--problem-soft)' }]
      : []),
  ];
  return (
    <div class="memory-picture">
      <div class="memory-reading muted number">
        <Peak row={props.row} startPs={extent().startPs} endPs={extent().endPs} />
        <span class="spacer" />
        <Legend entries={legend()} />
        <span class="memory-extent">
          {formatTime(extent().startPs)} … {formatTime(extent().endPs)} (
          {formatDuration(extent().endPs - extent().startPs)})
        </span>
      </div>
      <Plot
        label="Memory in use over time"
        height={HEIGHT}
        x={timeAcross(extent().startPs, extent().endPs)}
        y={figureAxis('', 'bytes', 0, extent().topBytes)}
        rows={[props.line.times_ps.length]}
        hit={({ x }, frame) => {
          const index = holdingIndex(props.line.times_ps, frame.atX(x));
          return index < 0 ? null : index;
        }}
        placeOf={(index, frame) => placeOf(index, taken(), frame)}
        at={pointed()}
        onAt={setPointed}
        onOpen={(index) => props.onMoment(props.line.times_ps[index] ?? 0)}
        zoom={zoom}
        data={() => ({
          columns: ['time_ps', 'in_use_bytes', 'reserved_bytes', 'fragmentation_ratio'],
          rows: props.line.times_ps.map((time, index) => [
            time,
            props.line.in_use_bytes[index] ?? null,
            props.line.reserved_bytes[index] ?? null,
            props.line.fragmentation_ratios[index] ?? null,
          ]),
        })}
        hasCursor
        readout={(index) => (
          <Details
            line={props.line}
            steps={props.steps}
            bytes={taken()[index] ?? 0}
            index={index}
          />
        )}
      >
        {(frame) => (
          <>
            <Steps steps={shaded()} frame={frame()} />
            <path class="memory-area" d={areaPath(path(taken(), frame()), 0, frame().height)} />
            <Show when={hasReserved()}>
              <path
                class="memory-reserved"
                d={areaPath(path(props.line.reserved_bytes, frame()), 0, frame().height)}
              />
            </Show>
            <path class="memory-line" d={path(taken(), frame())} />
            <Show when={hasCapacity()}>
              <line
                class="memory-capacity"
                x1={0}
                x2={frame().width}
                y1={frame().y(props.row.capacity_bytes)}
                y2={frame().y(props.row.capacity_bytes)}
              />
            </Show>
            <Show when={props.atPs !== null}>
              <line
                class="memory-moment"
                x1={frame().x(props.atPs ?? 0)}
                x2={frame().x(props.atPs ?? 0)}
                y1={0}
                y2={frame().height}
              />
            </Show>
            <circle
              class="memory-peak"
              cx={peakAt(frame())}
              cy={frame().y(props.row.peak_bytes)}
              r={4}
            />
          </>
        )}
      </Plot>
    </div>
  );
}

/** What is shaded behind the line: every second step, and steps with a spike. */
function Steps(props: { steps: readonly StepMemoryRow[]; frame: Frame }) {
  const x = (step: StepMemoryRow) => props.frame.x(step.start_ps);
  return (
    <For each={props.steps}>
      {(step, index) => (
        <rect
          class="memory-step"
          classList={{ 'is-odd': index() % 2 === 1, 'is-spike': step.is_spike }}
          x={x(step)}
          y={0}
          width={Math.max(0.5, props.frame.x(step.start_ps + step.duration_ps) - x(step))}
          height={props.frame.height}
        />
      )}
    </For>
  );
}

/** The peak, with a link to the allocation on the timeline. */
function Peak(props: { row: AllocatorRow; startPs: number; endPs: number }) {
  const href = () => {
    const margin = Math.max(1, (props.endPs - props.startPs) / 40);
    const window = { startPs: props.row.peak_ps - margin, endPs: props.row.peak_ps + margin };
    return hrefTo({
      view: 'timeline',
      params: { window: formatRange(window), slice: formatSliceRef(props.row.peak_slice) },
    });
  };
  return (
    <>
      <a href={href()}>Peak {formatBytes(props.row.peak_bytes)}</a> at{' '}
      {formatTime(props.row.peak_ps)}
      <Show when={props.row.peak_step !== null}> in step {props.row.peak_step}</Show>
    </>
  );
}

function Details(props: {
  line: MemoryTimeline;
  steps: readonly StepMemoryRow[];
  bytes: number;
  index: number;
}) {
  const time = () => props.line.times_ps[props.index] ?? 0;
  const step = () =>
    props.steps.find(
      ({ start_ps, duration_ps }) => start_ps <= time() && time() < start_ps + duration_ps,
    );
  return (
    <>
      <p>
        <strong class="number">{formatBytes(props.bytes)}</strong>{' '}
        <span class="muted number">since {formatTime(time())}</span>
      </p>
      <p class="muted number">
        <Show when={step()}>{(found) => <>step {found().step}, </>}</Show>
        fragmentation {formatRatio(props.line.fragmentation_ratios[props.index])}
      </p>
      <p class="muted">Click to list what was alive</p>
    </>
  );
}
