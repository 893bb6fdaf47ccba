/** Step times side by side: a dot for each step, a box for the middle half; then step by step. */
import { createMemo, createSignal, For, Show } from 'solid-js';

import { alignSteps } from '../../compare/align';
import { formatCount, formatDuration, plural } from '../../format/numbers';
import { figureAcross, figureAxis, slotsAcross } from '../../widgets/chart/axis';
import type { Frame } from '../../widgets/chart/frame';
import { linePath } from '../../widgets/chart/paths';
import { Plot } from '../../widgets/chart/plot';
import { closest, slotIndex } from '../../widgets/chart/points';
import { Middle } from '../../widgets/middle';
import type { CompareReport } from '../../wire/generated/CompareReport';
import type { ComparedSession } from '../../wire/generated/ComparedSession';
import type { ComparedStep } from '../../wire/generated/ComparedStep';
import { sessionColor } from './colors';
import { axisOf, cutOf, jitterOf, placeOf, spreadOf, type CutStep, type Ends } from './distribution';

/** Height of a session's row in pixels; also in the style sheet. */
const ROW = 46;
const MARGIN = { left: 30, top: 0, bottom: 22 };
/** With more steps than this, only every second, third, … is drawn. */
const MOST_DOTS = 400;
/** Pixels around a dot that belong to it. */
const REACH = 14;

export function Distributions(props: { report: CompareReport }) {
  const ends = createMemo(() => axisOf(props.report.sessions));
  return (
    <section class="card">
      <header>
        <h2 data-figure="compare.sessions.step_ps">Step times</h2>
        <span class="muted">one dot per step; the box spans the middle half</span>
      </header>
      <div class="card-body">
        <Show when={ends()} fallback={<p class="muted">No session has steps.</p>}>
          {(found) => (
            <div class="distribution">
              <div>
                <For each={props.report.sessions}>
                  {(session, index) => <Name session={session} index={index()} />}
                </For>
              </div>
              <Dots sessions={props.report.sessions} ends={found()} />
              <div>
                <For each={props.report.sessions}>{(session) => <Figures session={session} />}</For>
              </div>
            </div>
          )}
        </Show>
      </div>
    </section>
  );
}

function Name(props: { session: ComparedSession; index: number }) {
  return (
    <div class="distribution-name">
      <span class="swatch" style={{ background: sessionColor(props.index) }} />
      <span>
        <strong>
          <Middle text={props.session.name} />
        </strong>
        <span class="muted">{props.index === 0 ? 'baseline' : ''}</span>
      </span>
    </div>
  );
}

function Figures(props: { session: ComparedSession }) {
  const outliers = () => props.session.steps.filter((step) => step.is_outlier).length;
  return (
    <div class="distribution-figures number">
      <Show when={props.session.step_ps !== null} fallback={<span class="muted">no steps</span>}>
        <strong>{formatDuration(Math.round(props.session.step_ps ?? 0))}</strong>
        <span class="muted">
          {plural(props.session.typical_step_count, 'step')}
          <Show when={outliers() > 0}>, {formatCount(outliers())} excluded</Show>
        </span>
      </Show>
    </div>
  );
}

/** A step as a dot in the row of its session. */
interface Dot {
  step: ComparedStep;
  session: number;
  /** Within its row, −1 to 1. */
  height: number;
}

function dotsOf(session: ComparedSession, index: number): Dot[] {
  const every = Math.ceil(session.steps.length / MOST_DOTS);
  return session.steps
    .filter((_, position) => position % every === 0)
    .map((step, position) => ({ step, session: index, height: jitterOf(position) }));
}

function Dots(props: { sessions: readonly ComparedSession[]; ends: Ends }) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const rows = createMemo(() => props.sessions.map(dotsOf));
  const all = createMemo(() => rows().flat());
  const x = (ps: number, frame: Frame) => frame.width * placeOf(props.ends, ps);
  const dotAt = (dot: Dot, frame: Frame) => ({
    x: x(dot.step.duration_ps, frame),
    y: (dot.session + 0.5) * ROW + dot.height * (ROW / 2 - 9),
  });
  const text = ({ step, session }: Dot) =>
    `${props.sessions[session]?.name ?? ''}, step ${step.step}: ${formatDuration(Math.round(step.duration_ps))}` +
    (step.is_outlier ? ', outlier, excluded' : '');
  return (
    <Plot
      label={`Step times of ${plural(props.sessions.length, 'session')}`}
      height={props.sessions.length * ROW + MARGIN.bottom}
      margin={MARGIN}
      x={figureAcross('', 'duration', props.ends.lowPs, props.ends.highPs)}
      rows={rows().map((row) => row.length)}
      hit={(at, frame) =>
        closest(
          all().map((dot) => dotAt(dot, frame)),
          at,
          REACH,
        )
      }
      placeOf={(index, frame) => {
        const dot = all()[index];
        return dot ? dotAt(dot, frame) : { x: 0, y: 0 };
      }}
      at={pointed()}
      onAt={setPointed}
      readout={(index) => {
        const dot = all()[index];
        return dot ? text(dot) : null;
      }}
    >
      {(frame) => (
        <For each={rows()}>
          {(dots, index) => (
            <g class="distribution-plot" style={{ color: sessionColor(index()) }}>
              <Box
                session={props.sessions[index()]}
                top={index() * ROW}
                x={(ps) => x(ps, frame())}
              />
              <For each={dots}>
                {(dot) => (
                  <circle
                    cx={dotAt(dot, frame()).x}
                    cy={dotAt(dot, frame()).y}
                    r={dot === all()[pointed() ?? -1] ? 4.5 : 2.6}
                    fill={dot.step.is_outlier ? 'none' : 'currentcolor'}
                    stroke="currentcolor"
                    opacity="0.75"
                  />
                )}
              </For>
            </g>
          )}
        </For>
      )}
    </Plot>
  );
}

/** The middle half of the steps, and their median. */
function Box(props: {
  session: ComparedSession | undefined;
  top: number;
  x: (ps: number) => number;
}) {
  const spread = createMemo(() => (props.session ? spreadOf(props.session) : null));
  return (
    <Show when={spread()}>
      {(box) => (
        <>
          <rect
            x={props.x(box().lowerQuartile)}
            width={props.x(box().upperQuartile) - props.x(box().lowerQuartile)}
            y={props.top + 6}
            height={ROW - 12}
            rx="3"
            fill="currentcolor"
            opacity="0.16"
          />
          <line
            class="distribution-median"
            x1={props.x(box().median)}
            x2={props.x(box().median)}
            y1={props.top + 4}
            y2={props.top + ROW - 4}
          />
        </>
      )}
    </Show>
  );
}

const SERIES_HEIGHT = 116;

/** Small multiples: each session's steps in order, on one scale, with the baseline's behind. */
export function StepSeries(props: { report: CompareReport }) {
  const top = createMemo(() => {
    const ends = axisOf(props.report.sessions);
    return ends ? ends.highPs * 1.05 : 1;
  });
  const isCut = () =>
    props.report.sessions.some((session) => session.steps.some((step) => step.duration_ps > top()));
  return (
    <section class="card">
      <header>
        <h2>Step by step</h2>
        <span class="muted">
          same scale<Show when={isCut()}>, longer steps cut off</Show>; gray line: baseline
        </span>
      </header>
      <div class="card-body step-multiples">
        <For each={props.report.sessions}>
          {(session, index) => (
            <figure>
              <figcaption>
                <span class="swatch" style={{ background: sessionColor(index()) }} />{' '}
                {session.name}
              </figcaption>
              <Series
                session={session}
                color={sessionColor(index())}
                baseline={index() > 0 ? props.report.sessions[0] : undefined}
                topPs={top()}
              />
            </figure>
          )}
        </For>
      </div>
    </section>
  );
}

/** The baseline's duration of each step of the session. */
function matched(session: ComparedSession, baseline: ComparedSession): (number | null)[] {
  return alignSteps(session.steps, baseline.steps).map(
    (position) => baseline.steps[position]?.duration_ps ?? null,
  );
}

/** An arrow at the top with the time of a step that is longer than the axis. */
function Cut(props: {
  at: { x: number; y: number };
  text: string;
  /** Where the time is written; null if it is not. */
  side: CutStep['side'];
  color: string;
}) {
  const isLeft = () => props.side === 'left';
  return (
    <g class="step-series-cut" color={props.color}>
      <path
        d={`M${props.at.x - 4} ${props.at.y + 7}L${props.at.x} ${props.at.y}L${props.at.x + 4} ${props.at.y + 7}Z`}
      />
      <Show when={props.side}>
        <text
          class="halo"
          x={props.at.x + (isLeft() ? -8 : 8)}
          y={props.at.y + 8}
          text-anchor={isLeft() ? 'end' : 'start'}
        >
          {props.text}
        </text>
      </Show>
    </g>
  );
}

function Series(props: {
  session: ComparedSession;
  color: string;
  baseline: ComparedSession | undefined;
  topPs: number;
}) {
  const [pointed, setPointed] = createSignal<number | null>(null);
  const lengths = createMemo(() => props.session.steps.map((step) => step.duration_ps));
  const before = createMemo(() => (props.baseline ? matched(props.session, props.baseline) : []));
  const placeOf = (index: number, value: number, frame: Frame) => ({
    x: frame.x(index + 0.5),
    y: frame.y(Math.min(props.topPs, value)),
  });
  const path = (values: readonly (number | null)[], frame: Frame) =>
    linePath(values.map((value, index) => (value === null ? null : placeOf(index, value, frame))));
  return (
    <Plot
      class="step-series"
      label={`Steps of ${props.session.name} in order`}
      height={SERIES_HEIGHT}
      x={slotsAcross(
        'Step',
        props.session.steps.map((step) => String(step.step)),
      )}
      y={figureAxis('', 'duration', 0, props.topPs)}
      rows={[lengths().length]}
      hit={({ x }, frame) => slotIndex(lengths().length, x, frame.width)}
      placeOf={(index, frame) => placeOf(index, lengths()[index] ?? 0, frame)}
      at={pointed()}
      onAt={setPointed}
      hasCursor
      readout={(index) => (
        <>
          Step {props.session.steps[index]?.step}:{' '}
          {formatDuration(Math.round(lengths()[index] ?? 0))}
          <Show when={before()[index]}>
            {(length) => <p class="muted">baseline {formatDuration(Math.round(length()))}</p>}
          </Show>
        </>
      )}
    >
      {(frame) => (
        <>
          <path
            class="step-series-baseline"
            d={path(before(), frame())}
            stroke={sessionColor(0)}
          />
          <path d={path(lengths(), frame())} stroke={props.color} />
          <For
            each={cutOf(lengths(), props.topPs, (index) => frame().x(index + 0.5), frame().width)}
          >
            {({ index, ps, side }) => (
              <Cut
                at={placeOf(index, ps, frame())}
                text={formatDuration(Math.round(ps))}
                side={side}
                color={props.color}
              />
            )}
          </For>
        </>
      )}
    </Plot>
  );
}
