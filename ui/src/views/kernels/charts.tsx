/** Kernels by duration, and the queue of launches over time. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { formatLimit } from '../../format/limit';
import { formatCount, formatDuration, formatRatio, formatTime } from '../../format/numbers';
import { hrefTo } from '../../shell/state';
import { formatRange } from '../../timeline/address';
import { figureAxis, slotsAcross, timeAcross } from '../../widgets/chart/axis';
import type { Frame } from '../../widgets/chart/frame';
import { areaPath, linePath } from '../../widgets/chart/paths';
import { Plot } from '../../widgets/chart/plot';
import { holdingIndex, slotIndex } from '../../widgets/chart/points';
import { createZoom } from '../../widgets/chart/zoom';
import { ReadoutRow, ReadoutTitle } from '../../widgets/chart/readout';
import { OneOnly } from '../../widgets/one-only';
import type { DurationBin } from '../../wire/generated/DurationBin';
import type { LaunchDevice } from '../../wire/generated/LaunchDevice';

const HEIGHT = 136;
const MOST_BAR = 40;

/** Bins from the first to the last that has kernels. */
function usedBins(bins: readonly DurationBin[]): DurationBin[] {
  const used = bins.map((bin) => bin.occurrences > 0);
  const first = used.indexOf(true);
  return first < 0 ? [] : bins.slice(first, used.lastIndexOf(true) + 1);
}

const titleOf = (bin: DurationBin) =>
  bin.start_ps === 0 ? `< ${formatLimit(bin.end_ps)}` : formatLimit(bin.start_ps);
const rangeText = (bin: DurationBin) =>
  bin.end_ps === null
    ? `${formatLimit(bin.start_ps)} and longer`
    : `${formatLimit(bin.start_ps)} to ${formatLimit(bin.end_ps)}`;

/** Two bars per bin: share of launches and share of time. */
export function Durations(props: {
  bins: readonly DurationBin[];
  tinyRatio: number | null;
  tinyTimeRatio: number | null;
}) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const bins = createMemo(() => usedBins(props.bins));
  const most = () =>
    Math.max(...bins().flatMap((bin) => [bin.occurrence_ratio, bin.time_ratio]), 1e-9);
  /** The height of the higher bar of a bin. */
  const top = (bin: DurationBin | undefined) =>
    Math.max(bin?.occurrence_ratio ?? 0, bin?.time_ratio ?? 0);
  return (
    <section class="card kernel-chart">
      <header>
        <h2 data-figure="kernels.durations">Kernels by duration</h2>
        <span class="spacer" />
        <Show when={bins().length > 1}>
          <span class="muted">
            share of <span class="swatch kernel-count" /> launches <span class="swatch kernel-time" />{' '}
            time
          </span>
        </Show>
      </header>
      <Show when={bins().length > 1} fallback={<OneBin bin={bins()[0]} />}>
        <Plot
          label="Share of launches and of time by duration of the kernel"
          height={HEIGHT}
          x={slotsAcross('From', bins().map(titleOf))}
          y={figureAxis('', 'ratio', 0, most())}
          rows={[bins().length]}
          hit={({ x }, frame) => slotIndex(bins().length, x, frame.width)}
          placeOf={(index, frame) => ({ x: frame.x(index + 0.5), y: frame.y(top(bins()[index])) })}
          at={pointed()}
          onAt={setPointed}
          data={() => ({
            columns: ['start_ps', 'end_ps', 'launches', 'time_ps'],
            rows: bins().map((bin) => [bin.start_ps, bin.end_ps, bin.occurrences, bin.total_ps]),
          })}
          readout={(index) => <Bin bin={bins()[index]} />}
        >
          {(frame) => (
            <For each={bins()}>
              {(bin, index) => (
                <g classList={{ 'is-pointed': index() === pointed() }}>
                  <Bar
                    class="kernel-count"
                    frame={frame()}
                    isLeft
                    bin={index()}
                    ratio={bin.occurrence_ratio}
                  />
                  <Bar class="kernel-time" frame={frame()} bin={index()} ratio={bin.time_ratio} />
                </g>
              )}
            </For>
          )}
        </Plot>
      </Show>
      <Show when={props.tinyRatio !== null}>
        <p class="muted" data-figure="kernels.tiny_ratio">
          {formatRatio(props.tinyRatio)} of launches take less than 0.1 ms; they account for{' '}
          {formatRatio(props.tinyTimeRatio)} of kernel time
        </p>
      </Show>
    </section>
  );
}

/** Kernels of one length have nothing to be compared by. */
function OneBin(props: { bin: DurationBin | undefined }) {
  return (
    <Show when={props.bin}>
      {(bin) => <OneOnly text={`All kernels are in one range of duration: ${rangeText(bin())}.`} />}
    </Show>
  );
}

/** One of the two bars of a bin, at most two fifths of its slot wide, next to the middle. */
function Bar(props: { class: string; frame: Frame; bin: number; ratio: number; isLeft?: boolean }) {
  const width = () => Math.min(MOST_BAR, 0.39 * (props.frame.x(1) - props.frame.x(0)));
  const middle = () => props.frame.x(props.bin + 0.5);
  return (
    <rect
      class={props.class}
      x={props.isLeft ? middle() - width() - 1 : middle() + 1}
      width={width()}
      y={props.frame.y(props.ratio)}
      height={props.frame.height - props.frame.y(props.ratio)}
    />
  );
}

function Bin(props: { bin: DurationBin | undefined }) {
  return (
    <Show when={props.bin}>
      {(bin) => (
        <>
          <ReadoutTitle title={rangeText(bin())} />
          <table>
            <tbody>
              <ReadoutRow title="Launches">
                <td class="number">{formatCount(bin().occurrences)}</td>
                <td class="number muted">{formatRatio(bin().occurrence_ratio)}</td>
              </ReadoutRow>
              <ReadoutRow title="Time">
                <td class="number">{formatDuration(bin().total_ps)}</td>
                <td class="number muted">{formatRatio(bin().time_ratio)}</td>
              </ReadoutRow>
            </tbody>
          </table>
        </>
      )}
    </Show>
  );
}

/** The queues of all devices zoom together. */
const zoom = createZoom('span');

/** Kernels and copies launched but not finished, over time. */
export function Queue(props: { row: LaunchDevice }) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const points = () => props.row.queue;
  const start = () => points()[0]?.start_ps ?? 0;
  const end = () => points()[points().length - 1]?.end_ps ?? 1;
  const starts = createMemo(() => points().map((point) => point.start_ps));
  const area = (key: 'mean' | 'most', frame: Frame) => {
    const line = points().flatMap((point) =>
      [point.start_ps, point.end_ps].map((ps) => ({ x: frame.x(ps), y: frame.y(point[key]) })),
    );
    return areaPath(linePath(line), 0, frame.height);
  };
  return (
    <section class="card kernel-chart">
      <header>
        <h2 data-figure="kernels.queue">Queue of {props.row.device}</h2>
        <span class="spacer" />
        <span class="muted">
          <span class="swatch kernel-queue-most" /> max {props.row.queue_most}{' '}
          <span class="swatch kernel-queue-mean" /> mean {props.row.queue_mean.toFixed(1)}
        </span>
      </header>
      <Plot
        label={`Queue of ${props.row.device}`}
        height={HEIGHT}
        x={timeAcross(start(), end())}
        y={figureAxis('Kernels', 'count', 0, Math.max(1, props.row.queue_most))}
        rows={[points().length]}
        hit={({ x }, frame) => {
          const index = holdingIndex(starts(), frame.atX(x));
          return index < 0 ? null : index;
        }}
        placeOf={(index, frame) => {
          const point = points()[index];
          return { x: frame.x(point?.start_ps ?? 0), y: frame.y(point?.most ?? 0) };
        }}
        at={pointed()}
        onAt={setPointed}
        zoom={zoom}
        data={() => ({
          columns: ['start_ps', 'end_ps', 'mean', 'most'],
          rows: points().map(({ start_ps, end_ps, mean, most }) => [start_ps, end_ps, mean, most]),
        })}
        hasCursor
        readout={(index) => (
          <>
            <p class="number">
              max {formatCount(points()[index]?.most)}, mean {points()[index]?.mean.toFixed(1)}
            </p>
            <p class="muted number">at {formatTime(points()[index]?.start_ps ?? 0)}</p>
          </>
        )}
      >
        {(frame) => (
          <>
            <path class="kernel-queue-most" d={area('most', frame())} />
            <path class="kernel-queue-mean" d={area('mean', frame())} />
          </>
        )}
      </Plot>
      <p class="muted">
        Launch latency: median {formatDuration(props.row.latency_p50_ps)}, p99{' '}
        {formatDuration(props.row.latency_p99_ps)}.{' '}
        <a
          href={hrefTo({
            view: 'timeline',
            params: { window: formatRange({ startPs: start(), endPs: end() }) },
          })}
        >
          Show in timeline
        </a>
      </p>
    </section>
  );
}
