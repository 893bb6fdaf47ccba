/** One counter over time. All charts show the same time: a drag zooms, a double click shows all. */
import { createMemo, createSignal, onCleanup, onMount, Show } from 'solid-js';

import { formatDuration } from '../../format/numbers';
import { formatRange } from '../../timeline/address';
import type { TimeWindow } from '../../timeline/viewport';
import { hrefTo } from '../../shell/state';
import { Middle } from '../../widgets/middle';
import type { CounterRow } from '../../wire/generated/CounterRow';
import { nearest, pathsOf, timeAt, valueText, type Box } from './line';

const HEIGHT = 84;

interface ChartProps {
  row: CounterRow;
  /** Its name, without what it shares with its neighbours. */
  title: string;
  window: TimeWindow;
  /** Time under the pointer, of whichever chart. */
  atPs: number | null;
  onPoint: (atPs: number | null) => void;
  onZoom: (window: TimeWindow | null) => void;
}

export function CounterChart(props: ChartProps) {
  let plot!: HTMLDivElement;
  const [width, setWidth] = createSignal(320);
  const [from, setFrom] = createSignal<number | null>(null);
  onMount(() => {
    const observer = new ResizeObserver(() => setWidth(plot.clientWidth));
    observer.observe(plot);
    onCleanup(() => observer.disconnect());
  });
  const box = (): Box => ({
    width: width(),
    height: HEIGHT,
    startPs: props.window.startPs,
    endPs: props.window.endPs,
  });
  const paths = createMemo(() => pathsOf(props.row.points, box()));
  const lengthPs = () => Math.max(1, props.window.endPs - props.window.startPs);
  const xOf = (ps: number) => ((ps - props.window.startPs) / lengthPs()) * width();
  const pointed = () =>
    props.atPs === null ? undefined : nearest(props.row.points, box(), xOf(props.atPs));
  const place = (event: PointerEvent) =>
    timeAt(box(), event.clientX - plot.getBoundingClientRect().left);
  const finish = (event: PointerEvent) => {
    const start = from();
    setFrom(null);
    if (start === null) return;
    const end = place(event);
    if (Math.abs(xOf(end) - xOf(start)) > 4) {
      props.onZoom({ startPs: Math.min(start, end), endPs: Math.max(start, end) });
    }
  };
  const around = () => {
    const half = (props.window.endPs - props.window.startPs) / 20;
    const middle = props.row.max_at_ps;
    return formatRange({ startPs: middle - half, endPs: middle + half });
  };
  return (
    <section class="card counter">
      <header>
        <strong
          class="counter-name"
          data-tip={[props.row.name, props.row.description].filter(Boolean).join('\n')}
        >
          <Middle text={props.title} />
        </strong>
        <span class="spacer" />
        <span class="number">
          {pointed() ? valueText(pointed()?.mean ?? 0, props.row.unit) : ''}
        </span>
      </header>
      <p class="muted counter-place">
        {[props.row.device || props.row.host, props.row.line].filter(Boolean).join(' · ')}
      </p>
      <div
        class="counter-plot"
        ref={plot}
        onPointerDown={(event) => {
          setFrom(place(event));
          plot.setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => props.onPoint(place(event))}
        onPointerLeave={() => props.onPoint(null)}
        onPointerUp={finish}
        onDblClick={() => props.onZoom(null)}
      >
        <svg width={width()} height={HEIGHT} role="img" aria-label={props.row.name}>
          <Show when={paths().band}>
            <polygon class="counter-band" points={paths().band} />
          </Show>
          <polyline class="counter-line" points={paths().line} />
          <Show when={props.row.points.length === 1 ? props.row.points[0] : undefined}>
            {(only) => <circle class="counter-dot" cx={xOf(only().at_ps)} cy={HEIGHT / 2} r="3" />}
          </Show>
          <Show when={pointed()}>
            {(point) => (
              <line
                class="counter-cursor"
                x1={xOf(point().at_ps)}
                x2={xOf(point().at_ps)}
                y1="0"
                y2={HEIGHT}
              />
            )}
          </Show>
          <Show when={from()}>
            {(start) => (
              <rect
                class="counter-drag"
                x={Math.min(xOf(start()), xOf(props.atPs ?? start()))}
                width={Math.abs(xOf(props.atPs ?? start()) - xOf(start()))}
                y="0"
                height={HEIGHT}
              />
            )}
          </Show>
        </svg>
        <span class="counter-high">{valueText(paths().high, '')}</span>
        <span class="counter-low">{valueText(paths().low, '')}</span>
      </div>
      <footer class="muted">
        <span data-figure="counters.rows.mean">mean {valueText(props.row.mean, props.row.unit)}</span>
        <span data-tip={`exactly ${props.row.max_exact}`} data-figure="counters.rows.max">
          most{' '}
          <a href={hrefTo({ view: 'timeline', params: { window: around() } })}>
            {valueText(props.row.max, props.row.unit)}
          </a>
        </span>
        <span data-tip={`exactly ${props.row.last_exact}`} data-figure="counters.rows.last">
          last {valueText(props.row.last, props.row.unit)}
        </span>
        <span class="spacer" />
        <Show when={pointed()}>{(point) => <span>{formatDuration(point().at_ps)}</span>}</Show>
      </footer>
    </section>
  );
}
