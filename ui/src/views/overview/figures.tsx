/** The key figures on top, each with its verdict. */
import { For, Show } from 'solid-js';

import {
  format,
  formatCount,
  formatDuration,
  formatRatio,
  MISSING,
  plural,
  type Kind,
} from '../../format/numbers';
import { KpiCard } from '../../widgets/kpi';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import type { Verdict } from '../../wire/generated/Verdict';

export function KeyFigures(props: { report: OverviewReport }) {
  const time = () => props.report.step_time_ps;
  return (
    <section class="key-figures" aria-label="Key figures">
      <Show
        when={time()}
        fallback={
          <KpiCard
            title="Capture"
            value={formatDuration(props.report.duration_ps)}
            detail="first to last recorded slice"
            figure="session_duration_ps"
          />
        }
      >
        {(step) => (
          <KpiCard
            title="Step time"
            value={formatDuration(Math.round(step().mean))}
            detail={
              <span class="number">
                ± {formatDuration(Math.round(step().stddev))}, {plural(step().count, 'step')}
              </span>
            }
            tip={
              `Mean of ${formatCount(step().count)} steps, ± standard deviation (n − 1)\n` +
              `median ${formatDuration(step().median)}, min ${formatDuration(step().min)}, max ${formatDuration(step().max)}\n` +
              `capture ${formatDuration(props.report.duration_ps)}`
            }
          />
        )}
      </Show>
      <For each={props.report.verdicts}>{(verdict) => <VerdictCard verdict={verdict} />}</For>
    </section>
  );
}

function VerdictCard(props: { verdict: Verdict }) {
  return (
    <KpiCard
      title={props.verdict.title}
      value={verdictValue(props.verdict)}
      verdict={props.verdict.verdict}
      detail={props.verdict.value === null ? props.verdict.explanation : props.verdict.thresholds}
      tip={[
        props.verdict.explanation,
        props.verdict.thresholds && `Thresholds: ${props.verdict.thresholds}`,
      ]
        .filter(Boolean)
        .join('\n')}
    />
  );
}

/** The unit is the suffix of the key. */
function verdictValue(verdict: Verdict): string {
  if (verdict.value === null) return MISSING;
  const kinds: [string, Kind][] = [
    ['_ps', 'duration'],
    ['_bytes', 'bytes'],
    ['_flops', 'flops'],
  ];
  if (verdict.key.endsWith('_ratio')) return formatRatio(verdict.value);
  const kind = kinds.find(([suffix]) => verdict.key.endsWith(suffix))?.[1] ?? 'count';
  return format(kind, verdict.value);
}
