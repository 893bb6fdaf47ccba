/** Step times side by side: a dot for every step, a box for the middle half, step by step below. */
import { createMemo, For, Show } from 'solid-js';

import { alignSteps } from '../../compare/align';
import { columnScale, formatCount, formatDuration, plural } from '../../format/numbers';
import { axisTicks } from '../../widgets/steps/layout';
import type { CompareReport } from '../../wire/generated/CompareReport';
import type { ComparedSession } from '../../wire/generated/ComparedSession';
import type { ComparedStep } from '../../wire/generated/ComparedStep';
import { axisOf, jitterOf, placeOf, spreadOf, type Axis } from './distribution';
import { sessionColour } from './colours';

const ROW = 46;
/** More dots than this are drawn as every second, third, … */
const MOST_DOTS = 400;

export function Distributions(props: { report: CompareReport }) {
  const axis = createMemo(() => axisOf(props.report.sessions));
  return (
    <section class="card">
      <header>
        <h2 data-figure="compare.sessions.step_ps">Step times</h2>
        <span class="muted">a dot for every step, a box around the middle half of them</span>
      </header>
      <div class="card-body">
        <Show when={axis()} fallback={<p class="muted">No session has steps.</p>}>
          {(found) => (
            <>
              <For each={props.report.sessions}>
                {(session, index) => (
                  <Distribution session={session} axis={found()} index={index()} />
                )}
              </For>
              <AxisLine axis={found()} />
            </>
          )}
        </Show>
      </div>
    </section>
  );
}

function Distribution(props: { session: ComparedSession; axis: Axis; index: number }) {
  const spread = createMemo(() => spreadOf(props.session));
  const dots = createMemo(() => {
    const every = Math.ceil(props.session.steps.length / MOST_DOTS);
    return props.session.steps.filter((_, index) => index % every === 0);
  });
  const x = (ps: number) => `${100 * placeOf(props.axis, ps)}%`;
  const width = (low: number, high: number) =>
    `${100 * (placeOf(props.axis, high) - placeOf(props.axis, low))}%`;
  const tip = (step: ComparedStep) =>
    `Step ${step.step}: ${formatDuration(Math.round(step.duration_ps))}` +
    (step.is_outlier ? ', an outlier that is set aside' : '');
  const colour = () => sessionColour(props.index);
  const outliers = () => props.session.steps.filter((step) => step.is_outlier).length;
  return (
    <div class="distribution">
      <div class="distribution-name">
        <span class="swatch" style={{ background: colour() }} />
        <span>
          <strong data-tip={props.session.name}>{props.session.name}</strong>
          <span class="muted">{props.index === 0 ? 'baseline' : ''}</span>
        </span>
      </div>
      <svg
        class="distribution-plot"
        height={ROW}
        role="img"
        aria-label={`Step times of ${props.session.name}`}
      >
        <Show when={spread()}>
          {(box) => (
            <>
              <rect
                x={x(box().lowerQuartile)}
                width={width(box().lowerQuartile, box().upperQuartile)}
                y="6"
                height={ROW - 12}
                rx="3"
                fill={colour()}
                opacity="0.16"
              />
              <line
                x1={x(box().median)}
                x2={x(box().median)}
                y1="4"
                y2={ROW - 4}
                stroke="var(--text)"
                stroke-width="2"
              />
            </>
          )}
        </Show>
        <For each={dots()}>
          {(step, index) => (
            <circle
              cx={x(step.duration_ps)}
              cy={ROW / 2 + jitterOf(index()) * (ROW / 2 - 9)}
              r="2.6"
              fill={step.is_outlier ? 'none' : colour()}
              stroke={colour()}
              opacity="0.75"
              data-tip={tip(step)}
            />
          )}
        </For>
      </svg>
      <div class="distribution-figures number">
        <Show when={props.session.step_ps !== null} fallback={<span class="muted">no steps</span>}>
          <strong>{formatDuration(Math.round(props.session.step_ps ?? 0))}</strong>
          <span class="muted">
            {plural(props.session.typical_step_count, 'step')}
            <Show when={outliers() > 0}>, {formatCount(outliers())} set aside</Show>
          </span>
        </Show>
      </div>
    </div>
  );
}

function AxisLine(props: { axis: Axis }) {
  const ticks = createMemo(() => {
    const { lowPs, highPs } = props.axis;
    const all = axisTicks(highPs - lowPs, 5);
    const step = (all[1] ?? highPs - lowPs) || 1;
    const first = Math.ceil(lowPs / step) * step;
    return all.map((_, index) => first + index * step).filter((tick) => tick <= highPs);
  });
  const scale = () => columnScale('duration', ticks());
  return (
    <div class="distribution is-axis">
      <span />
      <div class="distribution-axis number">
        <For each={ticks()}>
          {(tick) => (
            <span style={{ left: `${100 * placeOf(props.axis, tick)}%` }}>
              {String(Number((tick / scale().size).toPrecision(5)))}
            </span>
          )}
        </For>
      </div>
      <span class="muted">{scale().unit}</span>
    </div>
  );
}

const SERIES_WIDTH = 300;
const SERIES_HEIGHT = 74;

/** Small multiples: the steps of each session in order, on one scale, with the baseline's behind. */
export function StepSeries(props: { report: CompareReport }) {
  const top = createMemo(() => {
    const axis = axisOf(props.report.sessions);
    return axis ? axis.highPs * 1.05 : 1;
  });
  const baseline = () => props.report.sessions[0];
  const isCut = () =>
    props.report.sessions.some((session) => lengthsOf(session).some((length) => length > top()));
  return (
    <section class="card">
      <header>
        <h2>Step by step</h2>
        <span class="muted">
          one scale for all, from 0 to {formatDuration(Math.round(top()))}
          <Show when={isCut()}>, where longer steps are cut</Show>; the line behind is the
          baseline's
        </span>
      </header>
      <div class="card-body step-multiples">
        <For each={props.report.sessions}>
          {(session, index) => (
            <figure>
              <figcaption>
                <span class="swatch" style={{ background: sessionColour(index()) }} />{' '}
                {session.name}
              </figcaption>
              <svg
                viewBox={`0 0 ${SERIES_WIDTH} ${SERIES_HEIGHT}`}
                preserveAspectRatio="none"
                role="img"
                aria-label={`Steps of ${session.name} in order`}
              >
                <line
                  x1="0"
                  x2={SERIES_WIDTH}
                  y1={SERIES_HEIGHT - 0.5}
                  y2={SERIES_HEIGHT - 0.5}
                  stroke="var(--line-strong)"
                />
                <Show when={index() > 0 ? baseline() : undefined}>
                  {(first) => (
                    <path
                      d={pathOf(session, top(), matched(session, first()))}
                      fill="none"
                      stroke={sessionColour(0)}
                      stroke-width="1.2"
                      opacity="0.75"
                      vector-effect="non-scaling-stroke"
                    />
                  )}
                </Show>
                <path
                  d={pathOf(session, top(), lengthsOf(session))}
                  fill="none"
                  stroke={sessionColour(index())}
                  stroke-width="1.8"
                  vector-effect="non-scaling-stroke"
                />
              </svg>
            </figure>
          )}
        </For>
      </div>
    </section>
  );
}

const lengthsOf = (session: ComparedSession) => session.steps.map((step) => step.duration_ps);

/** The baseline's length of each of the session's steps. */
function matched(session: ComparedSession, baseline: ComparedSession): (number | null)[] {
  return alignSteps(session.steps, baseline.steps).map(
    (position) => baseline.steps[position]?.duration_ps ?? null,
  );
}

function pathOf(session: ComparedSession, top: number, values: readonly (number | null)[]): string {
  const count = Math.max(1, session.steps.length - 1);
  let isOpen = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isOpen = false;
        return '';
      }
      const x = (index / count) * SERIES_WIDTH;
      const y = SERIES_HEIGHT - Math.min(1, value / top) * (SERIES_HEIGHT - 4);
      const command = isOpen ? 'L' : 'M';
      isOpen = true;
      return `${command}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}
