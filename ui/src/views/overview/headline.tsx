/** The first thing to read: step time with its trend, where it goes, and what to do first. */
import { For, Show } from 'solid-js';

import { byEvidence, changeOf } from '../../compare/change';
import { formatCount, formatDuration, formatRatio, plural } from '../../format/numbers';
import { CLASS_COLORS, partColor, PARTS, partTitle } from '../../format/palette';
import { comparison } from '../../shell/baseline';
import { hrefTo } from '../../shell/state';
import { VIEWS } from '../../shell/views';
import { DividedBar } from '../../widgets/bars';
import { TextChange } from '../../widgets/change';
import { Sparkline } from '../../widgets/sparkline';
import type { AdviceReport } from '../../wire/generated/AdviceReport';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import type { StepPart } from '../../wire/generated/StepPart';
import { linksOf } from '../advice/evidence';
import { occupationOf, sentenceOf, sharesOf, trendOf } from './sentence';

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

export function Headline(props: { report: OverviewReport; advice: AdviceReport | undefined }) {
  const pieces = (): Piece[] =>
    props.report.step_time_ps ? piecesOfStep(props.report) : piecesOfTime(props.report);
  const sentence = () => {
    const shares = props.report.step_time_ps
      ? sharesOf(props.report.step_parts)
      : occupationOf(props.report.verdicts).map(({ title, ratio }) => ({
          doing: title.toLowerCase(),
          ratio,
        }));
    const sorted = [...shares].sort((one, other) => other.ratio - one.ratio);
    return sentenceOf(sorted, props.report.step_time_ps ? 'a step' : 'the observed time');
  };
  return (
    <section class="card headline" aria-label="Headline">
      <Time report={props.report} />
      <div class="headline-parts">
        <p class="headline-sentence">
          {sentence() || 'No device recorded work, so it is unknown where the time goes.'}
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
      <First report={props.advice} />
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
    return time && changeOf(time.mean_ps, time.baseline_ps, byEvidence(time.evidence));
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

function Time(props: { report: OverviewReport }) {
  const time = () => props.report.step_time_ps;
  const durations = () => props.report.step_series.map((bar) => bar.duration_ps);
  return (
    <Show
      when={time()}
      fallback={
        <div class="headline-time">
          <div class="kpi-title" data-figure="overview.duration_ps">
            Captured
          </div>
          <Value text={formatDuration(props.report.duration_ps)} />
          <div class="muted">no steps recorded or found</div>
        </div>
      }
    >
      {(step) => (
        <div class="headline-time" tabindex="0" data-tip={spreadTip(props.report)}>
          <div class="kpi-title">Step time</div>
          <Value text={formatDuration(Math.round(step().mean))} />
          <div class="muted number">
            {step().count > 1 ? `± ${formatDuration(Math.round(step().stddev))}, ` : ''}
            {plural(step().count, 'step')}
          </div>
          <StepChange />
          <Show when={durations().length > 1}>
            <div class="headline-trend">
              <Sparkline values={durations()} />
            </div>
            <div class="muted headline-trend-words">{trendOf(durations())}</div>
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
  const step = () => comparison.data()?.differences[0]?.step;
  const change = () => {
    const found = step();
    return found && changeOf(found.mean_ps, found.baseline_ps, byEvidence(found.evidence));
  };
  return (
    <Show when={change()}>
      {(found) => (
        <div class="kpi-before" data-tip="Mean of the typical steps of both sessions, without outliers">
          <TextChange change={found()} kind="duration" isShort />
          <span class="muted">
            {' '}
            from {formatDuration(Math.round(found().before ?? 0))} to{' '}
            {formatDuration(Math.round(found().now ?? 0))} typically
          </span>
        </div>
      )}
    </Show>
  );
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

/** The finding with the most time to gain. */
function First(props: { report: AdviceReport | undefined }) {
  const finding = () => props.report?.findings[0];
  const evidence = () => {
    const [link] = (finding()?.evidence ?? []).flatMap((each) => linksOf(each, KNOWN));
    return link;
  };
  return (
    <Show
      when={finding()}
      fallback={
        <Show when={props.report}>
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
              <b>{found().title}</b>
              <Show when={found().gain_ps_per_step}>
                {(gain) => (
                  <span class="number headline-gain">
                    {found().is_replayed ? 'saves ' : 'up to '}
                    {formatDuration(Math.round(gain()))} per step
                    {found().gain_ratio === null ? '' : ` (${formatRatio(found().gain_ratio)})`}
                  </span>
                )}
              </Show>
            </p>
            <p class="muted headline-what">{found().what}</p>
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
