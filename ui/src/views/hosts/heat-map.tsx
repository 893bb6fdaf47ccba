/** Steps from left to right, devices from top to bottom, one colour whose strength is the value. */
import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js';

import { formatDuration } from '../../format/numbers';
import { getParam, navigate, setParams } from '../../shell/state';
import { themeColour } from '../../shell/theme';
import { formatRange } from '../../timeline/address';
import type { HostsReport } from '../../wire/generated/HostsReport';
import { cellAt, heatOf, METRICS, metricsOf, strength, type Metric } from './heat';

const MOST_ROW_HEIGHT = 26;
const LEAST_ROW_HEIGHT = 3;
const MOST_HEIGHT = 420;
/** How much of its colour the least value has; the legend begins with as much. */
const LEAST_STRENGTH = 0.08;

export function HeatMap(props: { report: HostsReport }) {
  let canvas!: HTMLCanvasElement;
  const [width, setWidth] = createSignal(0);
  const [hovered, setHovered] = createSignal<{ place: number; step: number } | null>(null);
  const metrics = createMemo(() => metricsOf(props.report.cells));
  const metric = createMemo(() => {
    const wanted = getParam('metric') as Metric | undefined;
    const hasLateness = metrics().some(({ key }) => key === 'lateness_ps');
    const usual: Metric = hasLateness ? 'lateness_ps' : 'duration_ps';
    return METRICS.find(({ key }) => key === (wanted ?? usual)) ?? METRICS[0];
  });
  const heat = createMemo(() =>
    heatOf(
      props.report.cells,
      props.report.steps.length,
      props.report.devices.length,
      metric().key,
    ),
  );
  const rowHeight = () =>
    Math.max(
      LEAST_ROW_HEIGHT,
      Math.min(MOST_ROW_HEIGHT, Math.floor(MOST_HEIGHT / Math.max(1, heat().placeCount))),
    );
  const height = () => rowHeight() * heat().placeCount;

  onMount(() => {
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0)),
    );
    observer.observe(canvas.parentElement ?? canvas);
    onCleanup(() => observer.disconnect());
  });
  createEffect(() => {
    const context = canvas.getContext('2d');
    if (!context || width() === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width() * ratio);
    canvas.height = Math.round(height() * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { stepCount, placeCount, cells } = heat();
    const cellWidth = width() / Math.max(1, stepCount);
    const gap = cellWidth > 6 && rowHeight() > 6 ? 1 : 0;
    for (let place = 0; place < placeCount; place += 1) {
      for (let step = 0; step < stepCount; step += 1) {
        const value = cells[place * stepCount + step]?.[metric().key];
        const isMissing = value === undefined || value === null;
        context.globalAlpha = isMissing
          ? 1
          : LEAST_STRENGTH + (1 - LEAST_STRENGTH) * strength(value, heat());
        context.fillStyle = isMissing ? themeColour('line') : metric().colour;
        const inset = isMissing ? rowHeight() / 2 - 0.5 : 0;
        context.fillRect(
          step * cellWidth,
          place * rowHeight() + inset,
          cellWidth - gap,
          isMissing ? 1 : rowHeight() - gap,
        );
      }
    }
    context.globalAlpha = 1;
    const at = hovered();
    if (at) {
      context.strokeStyle = themeColour('text');
      context.strokeRect(
        at.step * cellWidth + 0.5,
        at.place * rowHeight() + 0.5,
        cellWidth - 1,
        rowHeight() - 1,
      );
    }
  });

  const under = (event: PointerEvent | MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return cellAt(event.clientX - box.left, event.clientY - box.top, width(), height(), heat());
  };
  const open = (at: { place: number; step: number } | null) => {
    const cell = at && heat().cells[at.place * heat().stepCount + at.step];
    if (!cell) return;
    const around = cell.duration_ps * 0.05;
    navigate({
      view: 'timeline',
      params: {
        window: formatRange({
          startPs: cell.start_ps - around,
          endPs: cell.start_ps + cell.duration_ps + around,
        }),
        at: title(at.place),
      },
    });
  };
  const onKey = (event: KeyboardEvent) => {
    const { stepCount, placeCount } = heat();
    const at = hovered() ?? { place: 0, step: 0 };
    const moves: Record<string, [place: number, step: number]> = {
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
    };
    const move = moves[event.key];
    if (move) {
      // The first key only shows where one is.
      const [places, steps] = hovered() ? move : [0, 0];
      setHovered({
        place: Math.max(0, Math.min(placeCount - 1, at.place + places)),
        step: Math.max(0, Math.min(stepCount - 1, at.step + steps)),
      });
    } else if (event.key === 'Enter') open(hovered());
    else if (event.key === 'Escape') setHovered(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const title = (place: number) => {
    const row = props.report.devices[place];
    return row ? `${row.host}${row.device ? `/${row.device}` : ''}` : '';
  };

  return (
    <section class="card">
      <header>
        <h2>Steps × devices</h2>
        <span class="heat-scale muted number">
          {formatDuration(Math.max(0, heat().least))}
          <span
            class="heat-gradient"
            aria-label="to"
            style={{ '--most': metric().colour }}
          />
          {formatDuration(Math.max(0, heat().most))}
        </span>
        <span class="spacer" />
        <div class="segmented">
          <For each={metrics()}>
            {({ key, title: text }) => (
              <button
                aria-pressed={metric().key === key}
                data-figure={key === 'lateness_ps' ? 'hosts.rows.lateness_ps' : undefined}
                onClick={() => setParams({ metric: key }, false)}
              >
                {text}
              </button>
            )}
          </For>
        </div>
      </header>
      <div class="card-body heat">
        <div class="heat-names" style={{ height: `${height()}px` }}>
          <Show when={rowHeight() >= 11}>
            <For each={props.report.devices}>
              {(_, place) => (
                <span class="mono" style={{ height: `${rowHeight()}px` }}>
                  {title(place())}
                </span>
              )}
            </For>
          </Show>
        </div>
        <div class="heat-map">
          <canvas
            ref={canvas}
            role="application"
            tabindex="0"
            aria-label={
              `${metric().title} of ${heat().stepCount} steps on ${heat().placeCount} devices; ` +
              'arrows move, Enter opens the timeline'
            }
            style={{ height: `${height()}px` }}
            onKeyDown={onKey}
            onBlur={() => setHovered(null)}
            onPointerMove={(event) => setHovered(under(event))}
            onPointerLeave={() => setHovered(null)}
            onClick={(event) => open(under(event))}
          />
          <div class="heat-axis muted number">
            <Show
              when={props.report.steps.length > 1}
              fallback={<span>step {props.report.steps[0]?.step}</span>}
            >
              <span>{props.report.steps[0]?.step}</span>
              <span>step</span>
              <span>{props.report.steps.at(-1)?.step}</span>
            </Show>
          </div>
          <Show when={hovered()}>
            {(at) => (
              <CellDetails
                report={props.report}
                at={at()}
                name={title(at().place)}
                left={Math.min(
                  width() - 260,
                  ((at().step + 1) * width()) / Math.max(1, heat().stepCount) + 6,
                )}
                top={at().place * rowHeight()}
              />
            )}
          </Show>
        </div>
      </div>
    </section>
  );
}

function CellDetails(props: {
  report: HostsReport;
  at: { place: number; step: number };
  name: string;
  left: number;
  top: number;
}) {
  const cell = () =>
    props.report.cells.find(
      (candidate) => candidate.step === props.at.step && candidate.place === props.at.place,
    );
  const step = () => props.report.steps[props.at.step];
  return (
    <div
      class="heat-details"
      aria-live="polite"
      style={{ left: `${props.left}px`, top: `${props.top}px` }}
    >
      <p class="heat-details-title">
        <span>{props.name}</span>
        <span class="muted">step {step()?.step}</span>
      </p>
      <Show when={cell()} fallback={<p class="muted">It took no part in this step.</p>}>
        {(found) => (
          <table>
            <tbody>
              <For each={METRICS.filter(({ key }) => (found()[key] ?? 0) !== 0)}>
                {(metric) => (
                  <tr>
                    <td>
                      <span class="swatch" style={{ background: metric.colour }} /> {metric.title}
                    </td>
                    <td class="number">{formatDuration(found()[metric.key] ?? 0)}</td>
                  </tr>
                )}
              </For>
            </tbody>
          </table>
        )}
      </Show>
      <Show when={step()?.last_host}>
        <p class="muted">
          Last: {step()?.last_host}/{step()?.last_device}
          <Show when={step()?.activity}>, in {step()?.activity}</Show>
        </p>
      </Show>
    </div>
  );
}
