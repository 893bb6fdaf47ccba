/** The first thing to read: step time with its trend, where it goes, and what to do first. */
import { For, Show } from 'solid-js';

import { changeOfTime, STEP_CHANGE_MEANING } from '../../compare/change';
import { gainWord } from '../../format/gain';
import { formatCount, formatDuration, formatRatio, plural } from '../../format/numbers';
import { CLASS_COLORS, partColor, PARTS, partTitle } from '../../format/palette';
import { withUnits } from '../../format/units';
import { comparison } from '../../shell/baseline';
import { hrefTo } from '../../shell/state';
import { VIEWS } from '../../shell/views';
import { DividedBar } from '../../widgets/bars';
import { TextChange } from '../../widgets/change';
import { VerdictSign } from '../../widgets/kpi';
import { Prose } from '../../widgets/prose';
import { Sparkline } from '../../widgets/sparkline';
import type { AdviceReport } from '../../wire/generated/AdviceReport';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import type { StepTime } from '../../wire/generated/StepTime';
import type { StepPart } from '../../wire/generated/StepPart';
import { linksOf } from '../advice/evidence';
import { SIGN_OF } from './next';
import { doFirst, occupationOf, trendOf } from './sentence';

/** The view that explains a part of the step. */
const VIEW_OF: Record<StepPart['part'], string> = {
  device_compute: 'ops',
  collectives: 'collectives',
  host_to_device: 'critical_path',
  device_to_host: 'critical_path',
  device_to_device: 'critical_path',
  python_callbacks: 'regions',
  input_wait: 'input',
  compilation: 'compile',
  host_overhead: 'idle',
  idle: 'idle',
};

interface Piece {
  title: string;
  color: string;
  ratio: number;
  /** Time in the mean step. */
  mean_ps?: number;
  part?: StepPart['part'];
}

export function Headline(props: {
  report: OverviewReport;
  advice: AdviceReport | undefined;
  /** Whether the advice is still to come. */
  isAwaited?: boolean;
}) {
  const pieces = (): Piece[] =>
    props.report.step_time_ps ? piecesOfStep(props.report) : piecesOfTime(props.report);
  return (
    <section class="card headline" aria-label="Headline">
      <Time report={props.report} />
      <div class="headline-parts">
        <p class="headline-sentence">
          {withUnits(props.report.headline) ||
            'No device recorded work, so it is unknown where the time goes.'}
        </p>
        <Show when={pieces().length > 0}>
          <DividedBar
            isTall
            total={1}
            pieces={pieces().map(({ title, ratio, color }) => ({ title, value: ratio, color }))}
          />
        </Show>
        <ul class="parts">
          <For each={pieces()}>{(piece) => <PartLine piece={piece} />}</For>
        </ul>
      </div>
      <First report={props.advice} isAwaited={props.isAwaited ?? false} />
    </section>
  );
}

function piecesOfStep(report: OverviewReport): Piece[] {
  return PARTS.flatMap(({ part }) => {
    const entry = report.step_parts.find((other) => other.part === part);
    if (!entry || entry.mean_ps <= 0) return [];
    const { ratio, mean_ps } = entry;
    return [{ title: partTitle(part), color: partColor(part), ratio, mean_ps, part }];
  });
}

function piecesOfTime(report: OverviewReport): Piece[] {
  const colors: Record<string, string> = {
    Computing: CLASS_COLORS.compute,
    Communicating: CLASS_COLORS.collective,
    Copying: CLASS_COLORS.copy,
    Idle: CLASS_COLORS.idle,
  };
  return occupationOf(report.verdicts).map((each) => ({
    ...each,
    color: colors[each.title] ?? CLASS_COLORS.idle,
  }));
}

/** A part with its share, its time and its change, as a link to the view that explains it. */
function PartLine(props: { piece: Piece }) {
  const change = () => {
    const part = props.piece.part;
    const parts = comparison.data()?.differences[0]?.parts ?? [];
    const time = parts.find((each) => each.part === part)?.time;
    return changeOfTime(time);
  };
  const content = () => (
    <>
      <span class="swatch" style={{ background: props.piece.color }} />
      <span>{props.piece.title}</span>
      <b class="number">{formatRatio(props.piece.ratio)}</b>
      <Show when={props.piece.mean_ps}>
        {(time) => <span class="muted number">{formatDuration(Math.round(time()))}</span>}
      </Show>
    </>
  );
  return (
    <li>
      <Show when={props.piece.part} fallback={<span class="part-line">{content()}</span>}>
        {(part) => (
          <a
            class="part-line"
            href={hrefTo({ view: VIEW_OF[part()] })}
            data-figure={`steps.${part()}`}
          >
            {content()}
          </a>
        )}
      </Show>
      <Show when={change()}>
        {(found) => <TextChange change={found()} kind="duration" isShort />}
      </Show>
    </li>
  );
}

/** Fewer steps make no line. */
const LEAST_DRAWN = 3;

function Time(props: { report: OverviewReport }) {
  const time = () => props.report.step_time_ps;
  const hasOutliers = () => props.report.step_series.some((bar) => bar.is_outlier);
  const durations = () => props.report.step_series.map((bar) => bar.duration_ps);
  /** The time that the shares are of: from the first to the last work of any device. */
  const observed = () => {
    const worked = props.report.devices.filter(({ busy_ratio }) => busy_ratio !== null);
    return Math.max(0, ...worked.map(({ window_ps }) => window_ps));
  };
  return (
    <Show
      when={time()}
      fallback={
        <div class="headline-time">
          <Show
            when={observed() > 0}
            fallback={
              <>
                <div class="kpi-title" data-figure="overview.duration_ps">
                  Captured
                </div>
                <Value text={formatDuration(props.report.duration_ps)} />
              </>
            }
          >
            <div
              class="kpi-title"
              data-tip="From the first to the last work of any device; the shares are of this time"
            >
              Observed
            </div>
            <Value text={formatDuration(observed())} />
            <div class="muted number">of {formatDuration(props.report.duration_ps)} captured</div>
          </Show>
          <div class="muted">no step time: no steps recorded or found</div>
        </div>
      }
    >
      {(step) => (
        <div class="headline-time" tabindex="0" data-tip={spreadTip(props.report)}>
          <div class="kpi-title">Step time</div>
          <Value text={formatDuration(step().mean)} />
          <div class="muted number">
            {stepsText(step(), hasOutliers())}
          </div>
          <Show when={isWorthALine(step(), step().between)}>
            <div
              class="number headline-between"
              data-tip="Mean time from the end of a step to the start of the next. The step time does not contain it."
            >
              + {formatDuration(step().between)} between steps
            </div>
          </Show>
          <Show when={isWorthALine(step(), step().other_steps)}>
            <div
              class="number headline-between"
              data-tip="Mean time from the end of a step to the start of the next that passes in steps of other series. The step time does not contain it."
            >
              + {formatDuration(step().other_steps)} in steps of other series
            </div>
          </Show>
          <StepChange />
          <Show when={durations().length >= LEAST_DRAWN}>
            <div class="headline-trend">
              <Sparkline values={durations()} />
            </div>
            <div class="muted headline-trend-words">{trendOf(props.report.step_series)}</div>
          </Show>
        </div>
      )}
    </Show>
  );
}

function Value(props: { text: string }) {
  const [number, unit] = [
    () => props.text.split('\u202f')[0] ?? '',
    () => props.text.split('\u202f')[1] ?? '',
  ];
  return (
    <div class="headline-value number">
      {number()}
      <span class="kpi-unit">{unit()}</span>
    </div>
  );
}

/** The change of the typical step, as everywhere: outliers are not compared. */
function StepChange() {
  const change = () => changeOfTime(comparison.data()?.differences[0]?.step);
  return (
    <Show when={change()}>
      {(found) => (
        <div class="kpi-before" data-tip={STEP_CHANGE_MEANING}>
          <TextChange change={found()} kind="duration" isShort />
          <span class="muted">
            {' '}
            typical step {formatDuration(found().now)} instead of{' '}
            {formatDuration(found().before)}
          </span>
        </div>
      )}
    </Show>
  );
}

/** Next to the mean: the spread, or, where outliers make it meaningless, the median. */
function stepsText(time: StepTime, hasOutliers: boolean): string {
  const steps = plural(time.count, 'step');
  if (time.count <= 1) return steps;
  return hasOutliers
    ? `mean of ${steps}, median ${formatDuration(time.median)}`
    : `± ${formatDuration(time.stddev)}, ${steps}`;
}

/** Time outside of steps below this share of the time from step to step is not worth a line. */
const MIN_BETWEEN = 0.1;

function isWorthALine({ mean, between, other_steps }: StepTime, time: number): boolean {
  return time > 0 && time >= MIN_BETWEEN * (mean + between + other_steps);
}

/** The spread of the step times. */
function spreadTip(report: OverviewReport): string {
  const time = report.step_time_ps;
  if (!time) return '';
  const capture = `\ncapture ${formatDuration(report.duration_ps)}`;
  if (time.count <= 1) return `Only one step was recorded${capture}`;
  return (
    `Mean of ${formatCount(time.count)} steps, ± standard deviation (n − 1)\n` +
    `median ${formatDuration(time.median)}, min ${formatDuration(time.min)}, max ${formatDuration(time.max)}${capture}`
  );
}

const KNOWN = new Set(VIEWS.keys());

/** The view that says of a capture what the finding already says. */
const SAYS_THE_SAME = 'verdict';

/** The finding with the most time to gain. Its place is kept until it comes. */
function First(props: { report: AdviceReport | undefined; isAwaited: boolean }) {
  const finding = () => props.report?.findings[0];
  const evidence = () => {
    const links = (finding()?.evidence ?? []).flatMap((each) => linksOf(each, KNOWN));
    return links.find(({ view }) => view !== SAYS_THE_SAME);
  };
  return (
    <Show
      when={finding()}
      fallback={
        <Show
          when={props.report}
          fallback={
            <Show when={props.isAwaited}>
              <p class="headline-first muted" role="status">
                Looking for causes…
              </p>
            </Show>
          }
        >
          <p class="headline-first muted">
            Nothing to change was found. <a href={hrefTo({ view: 'advice' })}>What was checked</a>
          </p>
        </Show>
      }
    >
      {(found) => (
        <div class={`headline-first is-${found().severity}`}>
          <div>
            <p>
              <span class="muted">Do first: </span>
              <b>{doFirst(found()).title}</b>
              <Show when={SIGN_OF[found().severity]}>
                {(verdict) => (
                  <span class="headline-verdict">
                    <VerdictSign verdict={verdict()} />
                  </span>
                )}
              </Show>
              <Show when={found().gain_ps_per_step}>
                {(gain) => (
                  <span class="number headline-gain">
                    {gainWord(found())} {formatDuration(Math.round(gain()))} per step
                    {found().gain_ratio === null ? '' : ` (${formatRatio(found().gain_ratio)})`}
                  </span>
                )}
              </Show>
            </p>
            {/* Two lines are shown. */}
            <p class="muted headline-what" data-tip={doFirst(found()).what.replaceAll('`', '')}>
              <Prose text={doFirst(found()).what} />
            </p>
          </div>
          <Show when={evidence()}>
            {(link) => (
              <a class="button" href={hrefTo({ view: link().view, params: link().params })}>
                Show where
              </a>
            )}
          </Show>
          <a class="button is-primary" href={hrefTo({ view: 'advice' })}>
            What to do
          </a>
        </div>
      )}
    </Show>
  );
}
