/** The key figures below the headline, each with its verdict; thresholds are in the tooltips. */
import { For, Show } from 'solid-js';

import { format, formatRatio, MISSING, type Kind } from '../../format/numbers';
import { baseline } from '../../shell/state';
import { compareFigure, KpiCard } from '../../widgets/kpi';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import type { Verdict } from '../../wire/generated/Verdict';
import { isNothing } from './sentence';

export function KeyFigures(props: { report: OverviewReport }) {
  const isZero = (verdict: Verdict) => isNothing(verdict) && baseline() === null;
  const all = () => props.report.verdicts.filter(({ key }) => !isBeside(key, props.report));
  const known = () => all().filter((verdict) => verdict.value !== null && !isZero(verdict));
  const zero = () => all().filter(isZero);
  const unknown = () => all().filter((verdict) => verdict.value === null);
  return (
    <section aria-label="Key figures">
      <div class="kpi-row key-figures">
        <For each={known()}>{(verdict) => <VerdictCard verdict={verdict} report={props.report} />}</For>
      </div>
      <Show when={zero().length + unknown().length > 0}>
        <p class="key-figures-folded muted">
          <Folded title="Zero" verdicts={zero()} />
          <Folded title="Not in this profile" verdicts={unknown()} />
        </p>
      </Show>
    </section>
  );
}

/** The largest op is one card: its share, which is judged, and below it its time per step. */
const [SHARE, PER_STEP] = ['dominant_op_ratio', 'top_op_ps'];

const figureOf = (key: string, { verdicts }: Pick<OverviewReport, 'verdicts'>) =>
  verdicts.find((verdict) => verdict.key === key)?.value ?? null;

/** Whether a figure is part of another card; with a baseline, each has its own change. */
const isBeside = (key: string, report: OverviewReport) =>
  key === PER_STEP && baseline() === null && figureOf(SHARE, report) !== null;

/** Figures without a card; why is in their tooltips. */
function Folded(props: { title: string; verdicts: readonly Verdict[] }) {
  return (
    <Show when={props.verdicts.length > 0}>
      <span>
        {props.title}:{' '}
        <For each={props.verdicts}>
          {(verdict, index) => (
            <>
              {index() > 0 ? ', ' : ''}
              <span class="kpi-title" tabindex="0" data-tip={verdictTip(verdict)}>
                {inSentence(verdict.title)}
              </span>
            </>
          )}
        </For>
      </span>
    </Show>
  );
}

/** In lowercase, unless it is an abbreviation such as MFU. */
const inSentence = (title: string) =>
  /^[A-Z]{2}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);

function VerdictCard(props: { verdict: Verdict; report: OverviewReport }) {
  return (
    <KpiCard
      isSmall
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
      // With a baseline, the time per step has a card of its own.
      detail={
        props.verdict.key === SHARE && baseline() !== null
          ? ''
          : detailOf(props.verdict, props.report)
      }
      tip={verdictTip(props.verdict)}
    />
  );
}

/**
 * What else a card says. Of the largest op, its time per step. Being busy is judged by what the devices are busy with, so the card says how much of it is computing.
 * They are busy outside of steps, too, or less so: a share of steps that is larger says what it is of.
 */
export function detailOf(
  verdict: Verdict,
  report: Pick<OverviewReport, 'step_parts' | 'verdicts'>,
): string {
  if (verdict.key === SHARE) {
    const time = figureOf(PER_STEP, report);
    return time === null ? '' : `${format('duration', Math.round(time))} per step`;
  }
  const computing = report.step_parts.find(({ part }) => part === 'device_compute');
  if (verdict.key !== 'device_busy_ratio' || !computing) return '';
  // Busy with nothing else: the same figure twice says nothing.
  if (formatRatio(computing.ratio) === formatRatio(verdict.value)) return '';
  const text = `computing ${formatRatio(computing.ratio)}`;
  return computing.ratio > (verdict.value ?? 1) ? `of the recording; in steps, ${text}` : text;
}

/** `80.0 %` is `80 %`. */
function shortNumbers(text: string): string {
  return text.replace(/(\d)\.0+(?!\d)/g, '$1');
}

/**
 * How it was obtained, or what is missing and how to record it; and what it is judged by. A neutral verdict has
 * no thresholds: they would contradict it.
 */
function verdictTip(verdict: Verdict): string {
  const limits = shortNumbers(verdict.thresholds);
  const judged =
    verdict.verdict === 'neutral'
      ? verdict.judged_as && `Judged by: ${verdict.judged_as}`
      : limits && `Judged by: ${[verdict.judged_as, limits].filter(Boolean).join('; ')}`;
  return [verdict.explanation, judged].filter(Boolean).join('\n');
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
