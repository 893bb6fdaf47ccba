/** Kernels by duration, and the queue of launches over time. */
import { For, Show } from 'solid-js';

import { formatCount, formatDuration, formatRatio, formatTime } from '../../format/numbers';
import { formatRange } from '../../timeline/address';
import { hrefTo } from '../../shell/state';
import type { DurationBin } from '../../wire/generated/DurationBin';
import type { LaunchDevice } from '../../wire/generated/LaunchDevice';

const HEIGHT = 92;
/** Above it, what the top stands for. */
const TOP_HEIGHT = 14;
/** Of it, what times below the queue take. */
const AXIS_HEIGHT = 16;

/** Bins from the first to the last that has kernels. */
export function usedBins(bins: readonly DurationBin[]): DurationBin[] {
  const used = bins.map((bin) => bin.occurrences > 0);
  const first = used.indexOf(true);
  return first < 0 ? [] : bins.slice(first, used.lastIndexOf(true) + 1);
}

/** Bars of two kinds: share of launches and share of time. */
export function Durations(props: {
  bins: readonly DurationBin[];
  tinyRatio: number | null;
  tinyTimeRatio: number | null;
}) {
  const bins = () => usedBins(props.bins);
  const most = () =>
    Math.max(...bins().flatMap((bin) => [bin.occurrence_ratio, bin.time_ratio]), 1e-9);
  const height = (ratio: number) => `${(100 * ratio) / most()}%`;
  const title = (bin: DurationBin) =>
    bin.start_ps === 0 ? `< ${formatDuration(bin.end_ps)}` : formatDuration(bin.start_ps);
  const range = (bin: DurationBin) =>
    bin.end_ps === null
      ? `${formatDuration(bin.start_ps)} and longer`
      : `${formatDuration(bin.start_ps)} to ${formatDuration(bin.end_ps)}`;
  const tip = (bin: DurationBin) =>
    [
      range(bin),
      `${formatCount(bin.occurrences)} launches (${formatRatio(bin.occurrence_ratio)})`,
      `${formatDuration(bin.total_ps)} (${formatRatio(bin.time_ratio)} of the time)`,
    ].join('\n');
  return (
    <section class="card kernel-chart">
      <header>
        <h2 data-figure="kernels.durations">Kernels by duration</h2>
        <span class="spacer" />
        <span class="muted">
          share of <span class="swatch kernel-count" /> launches{' '}
          <span class="swatch kernel-time" /> time
        </span>
      </header>
      <div class="kernel-bins" style={{ height: `${HEIGHT + TOP_HEIGHT}px` }}>
        <span class="kernel-top number">{formatRatio(most())}</span>
        <For each={bins()}>
          {(bin) => (
            <div class="kernel-bin" data-tip={tip(bin)}>
              <span class="kernel-bars">
                <span class="kernel-count" style={{ height: height(bin.occurrence_ratio) }} />
                <span class="kernel-time" style={{ height: height(bin.time_ratio) }} />
              </span>
              <span class="kernel-bin-title" classList={{ [`is-${bin.verdict}`]: true }}>
                {title(bin)}
              </span>
            </div>
          )}
        </For>
      </div>
      <Show when={props.tinyRatio !== null}>
        <p class="muted" data-figure="kernels.tiny">
          {formatRatio(props.tinyRatio)} of launches take less than 0.1 ms, and{' '}
          {formatRatio(props.tinyTimeRatio)} of the time
        </p>
      </Show>
    </section>
  );
}

/** What is launched and not finished, over time. */
export function Queue(props: { row: LaunchDevice }) {
  const width = 600;
  const points = () => props.row.queue;
  const start = () => points()[0]?.start_ps ?? 0;
  const end = () => points()[points().length - 1]?.end_ps ?? 1;
  const most = () => Math.max(1, props.row.queue_most);
  const x = (ps: number) => ((ps - start()) / Math.max(1, end() - start())) * width;
  const bottom = HEIGHT - AXIS_HEIGHT;
  const y = (value: number) => bottom - (value / most()) * (bottom - 4);
  const area = (key: 'mean' | 'most') => {
    const line = points().flatMap((point) => [
      `${x(point.start_ps).toFixed(1)},${y(point[key]).toFixed(1)}`,
      `${x(point.end_ps).toFixed(1)},${y(point[key]).toFixed(1)}`,
    ]);
    return [`0,${bottom}`, ...line, `${width},${bottom}`].join(' ');
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
      <div class="kernel-plot">
        <span class="kernel-top number">{formatCount(most())}</span>
        <svg
          class="kernel-queue"
          viewBox={`0 0 ${width} ${bottom}`}
          preserveAspectRatio="none"
          style={{ height: `${bottom}px` }}
          role="img"
          aria-label={`Queue of ${props.row.device}`}
        >
          <polygon class="kernel-queue-most" points={area('most')} />
          <polygon class="kernel-queue-mean" points={area('mean')} />
        </svg>
        <p class="kernel-ends number">
          <span>{formatTime(start())}</span>
          <span>{formatTime(end())}</span>
        </p>
      </div>
      <p class="muted">
        Launch latency: median {formatDuration(props.row.latency_p50_ps)},{' '}
        {formatDuration(props.row.latency_p99_ps)} for 99 %.{' '}
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
