/**
 * Steps as bars stacked by part. A click selects a step, a drag a range, the same again clears.
 * Outliers carry a mark.
 */
import { createEffect, createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js';

import { changeOf } from '../../compare/change';
import { formatDuration, formatRatio } from '../../format/numbers';
import { PARTS } from '../../format/palette';
import { select, selected } from '../../shell/state';
import { themeColour } from '../../shell/theme';
import { TextChange } from '../change';
import type { StepBar } from '../../wire/generated/StepBar';
import { bucketAt, drawChart, MARGIN, slotOf, type Chart } from './draw';
import { axisTop, baselineOf, bucketSteps, stepsBetween, stepTest, type Bucket } from './layout';
import './chart.css';

const LEAST_HEIGHT = 196;

export function StepChart(props: {
  series: readonly StepBar[];
  /** Steps of the baseline, drawn across the bars. */
  baseline?: readonly StepBar[] | undefined;
}) {
  let canvas!: HTMLCanvasElement;
  const [width, setWidth] = createSignal(0);
  const [height, setHeight] = createSignal(LEAST_HEIGHT);
  const [hovered, setHovered] = createSignal(-1);
  const [dragFrom, setDragFrom] = createSignal(-1);

  const buckets = createMemo(() => bucketSteps(props.series, Math.max(20, (width() - 60) / 2)));
  const baselinePs = createMemo(() =>
    props.baseline ? baselineOf(buckets(), props.series, props.baseline) : [],
  );
  /** Lines of the baseline above all bars have room too. */
  const topPs = () => {
    const own = axisTop(buckets());
    const lines = baselinePs().filter((length) => length !== null && length < own * 3);
    return Math.max(own, ...(lines as number[]));
  };
  const chart = createMemo<Chart>(() => ({
    buckets: buckets(),
    topPs: topPs(),
    baselinePs: baselinePs(),
    width: width(),
    height: height(),
    colours: {
      text: themeColour('text'),
      faint: themeColour('text-muted'),
      line: themeColour('line'),
      accent: themeColour('accent'),
      soft: themeColour('accent-soft'),
      surface: themeColour('surface'),
      problem: themeColour('problem'),
    },
    isSelected: stepTest(selected('steps')),
    hovered: hovered(),
    dragged:
      dragFrom() >= 0 && hovered() >= 0 && hovered() !== dragFrom()
        ? [Math.min(dragFrom(), hovered()), Math.max(dragFrom(), hovered())]
        : null,
  }));

  onMount(() => {
    const observer = new ResizeObserver(([entry]) => {
      setWidth(Math.floor(entry?.contentRect.width ?? 0));
      setHeight(Math.floor(entry?.contentRect.height ?? LEAST_HEIGHT));
    });
    observer.observe(canvas.parentElement ?? canvas);
    onCleanup(() => observer.disconnect());
  });
  createEffect(() => {
    const current = chart();
    const context = canvas.getContext('2d');
    if (!context || current.width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(current.width * ratio);
    canvas.height = Math.round(current.height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawChart(context, current, themeColour('sans') || 'sans-serif');
  });

  const at = (event: PointerEvent) =>
    bucketAt(chart(), event.clientX - canvas.getBoundingClientRect().left);
  const finish = (event: PointerEvent) => {
    const [from, to] = [buckets()[dragFrom()], buckets()[at(event)]];
    setDragFrom(-1);
    if (!from || !to) return;
    const steps = stepsBetween(from, to);
    select('steps', steps === selected('steps') ? null : steps);
  };

  return (
    <div class="step-chart" style={{ 'min-height': `${LEAST_HEIGHT}px` }}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${props.series.length} steps stacked by part`}
        onPointerMove={(event) => setHovered(at(event))}
        onPointerLeave={() => {
          setHovered(-1);
          setDragFrom(-1);
        }}
        onPointerDown={(event) => event.button === 0 && setDragFrom(at(event))}
        onPointerUp={finish}
      />
      <Show when={buckets()[hovered()]}>
        {(bucket) => (
          <Details
            bucket={bucket()}
            left={detailsLeft(chart(), hovered())}
            beforePs={baselinePs()[hovered()] ?? null}
          />
        )}
      </Show>
    </div>
  );
}

/** To the right of the bar, or to its left where there is no room. */
function detailsLeft(chart: Chart, index: number): number {
  const [left, width] = slotOf(chart, index);
  const right = left + width + 8;
  return right + 250 > chart.width ? Math.max(0, left - 258) : Math.max(MARGIN.left, right);
}

function Details(props: { bucket: Bucket; left: number; beforePs: number | null }) {
  const change = () =>
    changeOf(props.bucket.durationPs, props.beforePs, { kind: 'duration', better: 'less' });
  const title = () =>
    props.bucket.count === 1
      ? `Step ${props.bucket.first}`
      : `Steps ${props.bucket.first} to ${props.bucket.last}, mean`;
  return (
    <div class="step-details" style={{ left: `${props.left}px` }}>
      <p class="step-details-title">
        <span>{title()}</span>
        <span class="number">{formatDuration(props.bucket.durationPs)}</span>
      </p>
      <Show when={change()}>
        {(found) => (
          <p class="step-details-title">
            <span class="muted">baseline {formatDuration(Math.round(props.beforePs ?? 0))}</span>
            <TextChange change={found()} kind="duration" />
          </p>
        )}
      </Show>
      <Show when={props.bucket.isOutlier}>
        <p class="step-details-outlier">Outlier</p>
      </Show>
      <table>
        <tbody>
          <For
            each={PARTS.map((part, index) => ({
              ...part,
              value: props.bucket.partsPs[index] ?? 0,
            })).filter((part) => part.value > 0)}
          >
            {(part) => (
              <tr>
                <td>
                  <span class="swatch" style={{ background: part.colour }} /> {part.title}
                </td>
                <td class="number">{formatDuration(part.value)}</td>
                <td class="number muted">{formatRatio(part.value / props.bucket.durationPs)}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </div>
  );
}
