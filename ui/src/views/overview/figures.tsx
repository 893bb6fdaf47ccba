/** The key figures at the top, each with its verdict. */
import { For, Show } from 'solid-js';

import { byEvidence } from '../../compare/change';
import {
  format,
  formatCount,
  formatDuration,
  MISSING,
  plural,
  type Kind,
} from '../../format/numbers';
import { comparison } from '../../shell/baseline';
import { compareFigure, KpiCard } from '../../widgets/kpi';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import type { Verdict } from '../../wire/generated/Verdict';

/** Number of cards that fit side by side at 1280 pixels. */
const MOST_IN_A_ROW = 6;

export function KeyFigures(props: { report: OverviewReport }) {
  const time = () => props.report.step_time_ps;
  const known = () => props.report.verdicts.filter((verdict) => verdict.value !== null);
  /** Rows of even length. */
  const columns = () => {
    const cards = known().length + 1;
    return Math.ceil(cards / Math.ceil(cards / MOST_IN_A_ROW));
  };
  const unknown = () => props.report.verdicts.filter((verdict) => verdict.value === null);
  return (
    <section aria-label="Key figures">
      <div class="key-figures" style={{ '--columns': String(columns()) }}>
        <Show
          when={time()}
          fallback={
            <KpiCard
              value={formatDuration(props.report.duration_ps)}
              detail="first to last recorded slice"
              figure="overview.duration_ps"
            />
          }
        >
          {(step) => (
            <KpiCard
              title="Step time"
              compare={compareFigure(
                props.report,
                (report: OverviewReport) => report.step_time_ps?.mean,
                'steps.rows.duration_ps',
                byEvidence(stepEvidence()),
              )}
              value={formatDuration(Math.round(step().mean))}
              detail={
                <span class="number">
                  {step().count > 1 ? `± ${formatDuration(Math.round(step().stddev))}, ` : ''}
                  {plural(step().count, 'step')}
                </span>
              }
              tip={
                `${step().count > 1 ? spreadTip(step()) : 'Only one step was recorded'}\n` +
                `capture ${formatDuration(props.report.duration_ps)}`
              }
            />
          )}
        </Show>
        <For each={known()}>{(verdict) => <VerdictCard verdict={verdict} report={props.report} />}</For>
      </div>
      <Show when={unknown().length > 0}>
        <p class="key-figures-unknown muted">
          Not in this profile:{' '}
          <For each={unknown()}>
            {(verdict, index) => (
              <>
                {index() > 0 ? ', ' : ''}
                <span class="kpi-title" tabindex="0" data-tip={verdictTip(verdict)}>
                  {verdict.title.toLowerCase()}
                </span>
              </>
            )}
          </For>
        </p>
      </Show>
    </section>
  );
}

/** The spread of the step times. */
const spreadTip = (time: NonNullable<OverviewReport['step_time_ps']>) =>
  `Mean of ${formatCount(time.count)} steps, ± standard deviation (n − 1)\n` +
  `median ${formatDuration(time.median)}, min ${formatDuration(time.min)}, max ${formatDuration(time.max)}`;

/** The comparison says whether the step changed by more than noise. */
const stepEvidence = () => comparison.data()?.differences[0]?.step?.evidence;

/** Which direction is better for a figure with a verdict. */
function VerdictCard(props: { verdict: Verdict; report: OverviewReport }) {
  return (
    <KpiCard
      title={props.verdict.title}
      value={verdictValue(props.verdict)}
      verdict={props.verdict.verdict}
      compare={compareFigure(
        props.report,
        (report: OverviewReport) =>
          report.verdicts.find((other) => other.key === props.verdict.key)?.value,
        `overview.${props.verdict.key}`,
        {
          kind: kindOf(props.verdict.key),
          better: props.verdict.is_larger_better ? 'more' : 'less',
        },
      )}
      detail={shortNumbers(props.verdict.thresholds)}
      tip={verdictTip(props.verdict)}
    />
  );
}

/** `80.0 %` is `80 %`. */
function shortNumbers(text: string): string {
  return text.replace(/(\d)\.0+(?!\d)/g, '$1');
}

/** How it was obtained, or what is missing and how to record it. */
function verdictTip(verdict: Verdict): string {
  const thresholds = verdict.thresholds && `Thresholds: ${verdict.thresholds}`;
  return [verdict.explanation, thresholds].filter(Boolean).join('\n');
}

/** The unit is the suffix of the key. */
function verdictValue(verdict: Verdict): string {
  return verdict.value === null ? MISSING : format(kindOf(verdict.key), verdict.value);
}

function kindOf(key: string): Kind {
  const kinds: [string, Kind][] = [
    ['_ps', 'duration'],
    ['_bytes', 'bytes'],
    ['_flops', 'flops'],
    ['_ratio', 'ratio'],
  ];
  return kinds.find(([suffix]) => key.endsWith(suffix))?.[1] ?? 'count';
}
