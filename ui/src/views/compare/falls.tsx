/** The difference of the mean typical steps as a waterfall, and its causes as text. */
import { createMemo, For, Show } from 'solid-js';

import { relativeText, signedText, toneOf } from '../../compare/change';
import { formatDuration } from '../../format/numbers';
import { partColor } from '../../format/palette';
import { hrefTo } from '../../shell/state';
import type { ChartData } from '../../widgets/chart/data';
import { elementSvg } from '../../widgets/chart/element-picture';
import { plotMenu } from '../../widgets/chart/plot-menu';
import { contextMenu } from '../../widgets/menu/menu';
import type { CompareReport } from '../../wire/generated/CompareReport';
import type { ComparedCause } from '../../wire/generated/ComparedCause';
import type { Evidence } from '../../wire/generated/Evidence';
import type { SessionDifference } from '../../wire/generated/SessionDifference';
import { BREAK_SHARE, shareOf, viewOf, waterfallOf, type Fall, type Waterfall } from './waterfall';

interface FallsProps {
  report: CompareReport;
  difference: SessionDifference;
  /** Shows an op of the table by its position. */
  onOp: (index: number) => void;
}

export function Falls(props: FallsProps) {
  const sessions = () => [
    props.report.sessions[0],
    props.report.sessions[props.difference.session],
  ];
  const fall = createMemo(() => {
    const [baseline, session] = sessions();
    if (baseline?.step_ps == null || session?.step_ps == null) return null;
    return waterfallOf(props.difference.waterfall, baseline.step_ps, session.step_ps, [
      baseline.name,
      session.name,
    ]);
  });
  return (
    <section class="card compare-falls">
      <header>
        <h2 data-figure="compare.waterfall">Where the time went</h2>
        <span class="muted">
          difference of the mean typical steps
          <Show when={fall()?.breakPs}>
            {(breakPs) => <>; the axis is cut below {formatDuration(Math.round(breakPs()))}</>}
          </Show>
        </span>
      </header>
      <div class="card-body">
        <Show
          when={fall()}
          fallback={
            <p class="muted">Both sessions must have steps to explain a difference.</p>
          }
        >
          {(found) => (
            <ol
              class="falls"
              classList={{ 'is-broken': found().breakPs !== null }}
              style={{ '--break': `${100 * BREAK_SHARE}%` }}
              onContextMenu={contextMenu((event) =>
                plotMenu({
                  root: event.currentTarget as HTMLElement,
                  label: 'Where the time went',
                  data: () => fallsData(found()),
                  reset: null,
                  picture: elementSvg,
                }),
              )}
            >
              <For each={found().falls}>
                {(each, index) => (
                  <FallRow
                    fall={each}
                    isTotal={index() === 0 || index() === found().falls.length - 1}
                    left={shareOf(found(), Math.min(each.fromPs, each.toPs))}
                    right={shareOf(found(), Math.max(each.fromPs, each.toPs))}
                    end={shareOf(found(), each.toPs)}
                    stepPs={found().falls[0]?.valuePs ?? 0}
                    onOp={props.onOp}
                  />
                )}
              </For>
            </ol>
          )}
        </Show>
        <Outliers difference={props.difference} />
      </div>
    </section>
  );
}

const fallsData = ({ falls }: Waterfall): ChartData => ({
  columns: ['title', 'from_ps', 'to_ps', 'value_ps'],
  rows: falls.map(({ title, fromPs, toPs, valuePs }) => [title, fromPs, toPs, valuePs]),
});

/** What outlier steps add: they are not in the typical step, and so not in the sum. */
function Outliers(props: { difference: SessionDifference }) {
  return (
    <Show when={props.difference.outliers.length > 0}>
      <div class="falls-outliers">
        <span class="muted">Not in the typical step, on average over all steps:</span>
        <For each={props.difference.outliers}>
          {(bar) => (
            <span>
              <a href={hrefTo({ view: viewOf(bar) ?? 'steps' })}>{bar.title}</a>{' '}
              <span class="number">{signedText('duration', Math.round(bar.difference_ps))}</span>
            </span>
          )}
        </For>
      </div>
    </Show>
  );
}

/** Only changes beyond noise are better or worse. */
const betterBy = (evidence: Evidence | null) => (evidence === 'beyond_noise' ? 'less' : 'neither');

function FallRow(props: {
  fall: Fall;
  isTotal: boolean;
  left: number;
  right: number;
  end: number;
  stepPs: number;
  onOp: (index: number) => void;
}) {
  const isNoise = () => props.fall.evidence === 'within_noise';
  const tone = () =>
    props.isTotal ? 'total' : toneOf(props.fall.valuePs, betterBy(props.fall.evidence), isNoise());
  const op = () => props.fall.bar?.op ?? null;
  const view = () => (props.fall.bar ? viewOf(props.fall.bar) : null);
  return (
    <li classList={{ 'is-total': props.isTotal, 'is-noise': isNoise() }}>
      <span class="fall-title">
        <Show when={props.fall.bar?.part}>
          {(part) => <span class="swatch" style={{ background: partColor(part()) }} />}
        </Show>
        <Show
          when={op() !== null}
          fallback={
            <Show when={view()} fallback={<span>{props.fall.title}</span>}>
              {(name) => <a href={hrefTo({ view: name() })}>{props.fall.title}</a>}
            </Show>
          }
        >
          <button class="fall-link" onClick={() => props.onOp(op() ?? 0)}>
            {props.fall.title}
          </button>
        </Show>
      </span>
      <span class="fall-track">
        <span
          class={`fall-bar is-${tone()}`}
          style={{
            left: `${100 * props.left}%`,
            width: `max(2px, ${100 * (props.right - props.left)}%)`,
          }}
        />
        <span class="fall-step" style={{ left: `${100 * props.end}%` }} />
      </span>
      <span class={`fall-value number change is-text is-${props.isTotal ? 'total' : tone()}`}>
        {props.isTotal
          ? formatDuration(Math.round(props.fall.valuePs))
          : signedText('duration', Math.round(props.fall.valuePs))}
      </span>
      <span class="fall-ratio number muted">
        {props.isTotal || props.stepPs <= 0
          ? ''
          : isNoise()
            ? 'noise'
            : relativeText(props.fall.valuePs / props.stepPs)}
      </span>
    </li>
  );
}

/** Causes, largest effect first. */
export function Causes(props: FallsProps) {
  return (
    <section class="card compare-causes">
      <header>
        <h2>Why</h2>
        <span class="muted">largest effect first</span>
      </header>
      <div class="card-body">
        <Show
          when={props.difference.causes.length > 0}
          fallback={<p class="muted">No difference is beyond noise.</p>}
        >
          <ol class="causes">
            <For each={props.difference.causes}>
              {(cause) => <CauseRow cause={cause} onOp={props.onOp} />}
            </For>
          </ol>
        </Show>
      </div>
    </section>
  );
}

function CauseRow(props: { cause: ComparedCause; onOp: (index: number) => void }) {
  const tone = () =>
    toneOf(props.cause.difference_ps ?? 0, betterBy(props.cause.evidence), false);
  const view = () => VIEW_OF_CAUSE[props.cause.kind] ?? null;
  return (
    <li>
      <span class={`change-dot is-${tone()}`} aria-hidden="true" />
      <span class="cause-text">{props.cause.text}</span>
      <Show when={props.cause.op !== null}>
        <button class="fall-link" onClick={() => props.onOp(props.cause.op ?? 0)}>
          Op
        </button>
      </Show>
      <Show when={props.cause.op === null && view()}>
        {(name) => (
          <a class="button" href={hrefTo({ view: name() })}>
            Show
          </a>
        )}
      </Show>
    </li>
  );
}

/** The view for a cause that is not about a single op. */
const VIEW_OF_CAUSE: Record<string, string> = {
  recompiled: 'compile',
  memory_plan: 'buffers',
  compilation: 'compile',
  input_wait: 'input',
  host_overhead: 'idle',
  idle: 'idle',
  launches: 'kernels',
  overlap: 'collectives',
  concurrency: 'timeline',
  outlier_steps: 'steps',
};
