/**
 * Steps as bars stacked by part. A click selects a step, a drag selects a range, and repeating it
 * clears the selection. Outliers are marked.
 */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { changeOf } from '../../compare/change';
import { formatDuration, formatRatio, plural } from '../../format/numbers';
import { PARTS } from '../../format/palette';
import { TIMELINE_VIEW } from '../../shell/hash';
import { hrefTo, select, selected } from '../../shell/state';
import { themeColor } from '../../shell/theme';
import { TextChange } from '../change';
import { figureAxis, slotsAcross } from '../chart/axis';
import type { Frame } from '../chart/frame';
import { Plot } from '../chart/plot';
import { slotIndex, type Place } from '../chart/points';
import { ReadoutRow, ReadoutTitle } from '../chart/readout';
import { createSize } from '../chart/size';
import { OneOnly } from '../one-only';
import type { StepBar } from '../../wire/generated/StepBar';
import { drawBars } from './draw';
import { axisTop, baselineOf, bucketSteps, stepsBetween, stepTest, type Bucket } from './layout';
import './chart.css';

/** Minimum pixels per bar. */
const LEAST_SLOT = 2;
const AROUND_PLOT = 60;

interface StepChartProps {
  series: readonly StepBar[];
  /** Steps of the baseline, drawn across the bars. */
  baseline?: readonly StepBar[] | undefined;
  /** What the parts of a bar are; by default the parts of a step. */
  meanings?: readonly { title: string; color: string }[];
  /** What the bars show, if not whole steps: `input wait by cause`. */
  label?: string;
}

/** A single step is no chart, unless a baseline is drawn across it. */
export function StepChart(props: StepChartProps) {
  return (
    <Show when={props.series.length !== 1 || props.baseline} fallback={<OneStep {...props} />}>
      <Bars {...props} />
    </Show>
  );
}

function OneStep(props: StepChartProps) {
  const step = () => props.series[0];
  return (
    <OneOnly
      text={
        <>
          Only step {step()?.step} was recorded, so there is no other to compare it with. Record ten
          or more to see how they vary.
        </>
      }
      actions={
        <a
          class="button"
          href={hrefTo({ view: TIMELINE_VIEW, params: { steps: String(step()?.step ?? '') } })}
        >
          Show it in the timeline
        </a>
      }
    />
  );
}

function Bars(props: StepChartProps) {
  const meanings = () => props.meanings ?? PARTS;
  let box!: HTMLDivElement;
  const size = createSize(() => box);
  const [hovered, setHovered] = createSignal<number | null>(null);
  const buckets = createMemo(() =>
    bucketSteps(props.series, Math.max(20, (size().width - AROUND_PLOT) / LEAST_SLOT)),
  );
  const baselinePs = createMemo(() =>
    props.baseline ? baselineOf(buckets(), props.series, props.baseline) : [],
  );
  /** Leaves room for lines of the baseline that are above all bars. */
  const topPs = createMemo(() => {
    const own = axisTop(buckets());
    const lines = baselinePs().filter((length) => length !== null && length < own * 3);
    return Math.max(own, ...(lines as number[]));
  });
  const choose = (from: number | null, to: number | null) => {
    const [first, last] = [buckets()[from ?? -1], buckets()[to ?? -1]];
    if (!first || !last) return;
    const steps = stepsBetween(first, last);
    select('steps', steps === selected('steps') ? null : steps);
  };
  const indexAt = ({ x }: Place, frame: Frame) => slotIndex(buckets().length, x, frame.width);
  const within = (place: Place, frame: Frame): Place => ({
    ...place,
    x: Math.max(0, Math.min(frame.width - 1, place.x)),
  });
  return (
    <div class="step-chart" ref={box}>
      <Plot
        label={`${plural(props.series.length, 'step')} ${props.label ?? 'stacked by part'}`}
        x={slotsAcross(
          'Step',
          buckets().map((bucket) => String(bucket.first)),
        )}
        y={figureAxis('', 'duration', 0, topPs())}
        rows={[buckets().length]}
        hit={indexAt}
        placeOf={(index, frame) => ({
          x: frame.x(index + 0.5),
          y: frame.y(Math.min(topPs(), buckets()[index]?.durationPs ?? 0)),
        })}
        at={hovered()}
        onAt={setHovered}
        onOpen={(index) => choose(index, index)}
        onDrag={(from, to, frame) =>
          choose(indexAt(within(from, frame), frame), indexAt(within(to, frame), frame))
        }
        draw={(context, frame) =>
          drawBars(context, frame, {
            buckets: buckets(),
            topPs: topPs(),
            partColors: meanings().map((meaning) => meaning.color),
            baselinePs: baselinePs(),
            isSelected: stepTest(selected('steps')),
            hovered: hovered(),
            font: themeColor('sans') || 'sans-serif',
            colors: {
              text: themeColor('text'),
              faint: themeColor('text-muted'),
              line: themeColor('line'),
              soft: themeColor('accent-soft'),
              surface: themeColor('surface'),
              problem: themeColor('problem'),
            },
          })
        }
        data={() => ({
          columns: ['first_step', 'last_step', 'mean_ps', ...meanings().map(({ title }) => title)],
          rows: buckets().map((bucket) => [
            bucket.first,
            bucket.last,
            bucket.durationPs,
            ...meanings().map((_, index) => bucket.partsPs[index] ?? 0),
          ]),
        })}
        readout={(index) => (
          <Show when={buckets()[index]}>
            {(bucket) => (
              <Details
                bucket={bucket()}
                beforePs={baselinePs()[index] ?? null}
                meanings={meanings()}
              />
            )}
          </Show>
        )}
      />
    </div>
  );
}

function Details(props: {
  bucket: Bucket;
  beforePs: number | null;
  meanings: readonly { title: string; color: string }[];
}) {
  const change = () =>
    changeOf(props.bucket.durationPs, props.beforePs, { kind: 'duration', better: 'less' });
  const title = () =>
    props.bucket.count === 1
      ? `Step ${props.bucket.first}`
      : `Steps ${props.bucket.first} to ${props.bucket.last}, mean`;
  const parts = () =>
    props.meanings
      .map((part, index) => ({ ...part, value: props.bucket.partsPs[index] ?? 0 }))
      .filter((part) => part.value > 0);
  return (
    <>
      <ReadoutTitle title={title()} value={formatDuration(props.bucket.durationPs)} />
      <Show when={change()}>
        {(found) => (
          <ReadoutTitle
            title={
              <span class="muted">baseline {formatDuration(Math.round(props.beforePs ?? 0))}</span>
            }
            value={<TextChange change={found()} kind="duration" />}
          />
        )}
      </Show>
      <Show when={props.bucket.isOutlier}>
        <p class="step-outlier-note">Outlier</p>
      </Show>
      <table>
        <tbody>
          <For each={parts()}>
            {(part) => (
              <ReadoutRow title={part.title} color={part.color}>
                <td class="number">{formatDuration(part.value)}</td>
                <td class="number muted">{formatRatio(part.value / props.bucket.durationPs)}</td>
              </ReadoutRow>
            )}
          </For>
        </tbody>
      </table>
    </>
  );
}
