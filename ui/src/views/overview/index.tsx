/** The first page of a session: step time, where it goes, and what to look at first. */
import { createEffect, createSignal, Show } from 'solid-js';

import { formatDuration } from '../../format/numbers';
import { hasManyHosts } from '../../shell/session';
import { selected, selectionParams, utilizationParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import { StepChart } from '../../widgets/steps/chart';
import { useStepKeys } from '../../widgets/steps/keys';
import { CODE_STEPS, sourceText, withoutWarmUp } from '../../widgets/steps/source';
import type { Finding } from '../../wire/generated/Finding';
import type { Note } from '../../wire/generated/Note';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import { createReport } from '../../wire/report';
import { VerdictBanner } from '../verdict/banner';
import { Findings } from '../verdict/findings';
import { NextFindings } from './advice';
import { Devices } from './devices';
import { Environment } from './environment';
import { KeyFigures } from './figures';
import { Headline } from './headline';
import { TopOps } from './top-ops';
import './overview.css';

export default function OverviewView(props: ViewProps) {
  const session = () => props.session;
  // Of many hosts, the figures come first: side by side, all answers would take as long as the last.
  const [hasFigures, setHasFigures] = createSignal(false);
  const isNext = () => !hasManyHosts(props.session) || hasFigures();
  // First, because it takes longest: everything else is computed meanwhile.
  const advice = createReport('advice', session, selectionParams, isNext);
  const report = createReport('overview', session, utilizationParams);
  // The chart shows all steps, even while only some are selected.
  const whole = createReport('overview', session, () => ({ ...utilizationParams(), steps: null }));
  const verdict = createReport('verdict', session, () => ({}), isNext);
  createEffect(() => setHasFigures(report.data() !== undefined));
  const isAwaited = () => advice.isLoading() || !isNext();
  // A note that repeats a finding or the page is not shown.
  const unsaid = (data: OverviewReport) =>
    data.notes.filter(
      (note) =>
        !isTold(note, verdict.data()?.findings ?? []) &&
        !(note.id === 'steps-missing' && !data.step_time_ps),
    );
  useStepKeys(() => whole.data()?.step_series ?? []);

  return (
    <AnswerView answer={report}>
      {(data) => (
        <div class="page overview">
          <VerdictBanner report={verdict.data()} severity="bad" />
          <Headline report={data()} advice={advice.data()} isAwaited={isAwaited()} />
          <KeyFigures report={data()} />
          <VerdictBanner
            report={verdict.data()}
            severity="warning"
            told={data().step_time_ps ? undefined : 'no_steps'}
          />
          <Warnings notes={unsaid(data())} />
          <NextFindings report={advice.data()} isAwaited={isAwaited()} />
          <Show when={data().step_time_ps} fallback={<NoSteps />}>
            <section class="card">
              <StepsHead report={data()} hasBaseline={whole.baseline.data() !== undefined} />
              <div class="card-body">
                <StepChart
                  series={whole.data()?.step_series ?? data().step_series}
                  baseline={whole.baseline.data()?.step_series}
                />
              </div>
            </section>
          </Show>
          <TopOps report={data()} session={props.session} />
          {/* Of a single device, the key figures say how busy it was. */}
          <Show when={data().devices.length !== 1 || selected('device') !== ''}>
            <Devices report={data()} />
          </Show>
          <Environment report={data()} />
          <Show when={verdict.data()?.findings.length ? verdict.data() : undefined}>
            {(report) => (
              <section class="card">
                <header>
                  <h2>About this capture</h2>
                </header>
                <div class="card-body">
                  <Findings findings={report().findings} />
                </div>
              </section>
            )}
          </Show>
          <div
            class="card"
            classList={{ 'is-absent': !unsaid(data()).some((note) => note.kind === 'info') }}
          >
            <Remarks notes={unsaid(data())} />
          </div>
        </div>
      )}
    </AnswerView>
  );
}

function StepsHead(props: { report: OverviewReport; hasBaseline: boolean }) {
  return (
    <header>
      <h2 data-figure="steps.step_parts">Steps</h2>
      <Show when={props.report.step_time_ps}>
        {(time) => (
          <span class="muted" data-tip={sourceText(time().source, time().marks).long}>
            {sourceText(time().source, time().marks).short}
            {withoutWarmUp(time().warm_up)}, {formatDuration(time().min)}
            {time().count > 1 ? ` to ${formatDuration(time().max)}` : ''}
          </span>
        )}
      </Show>
      <span class="spacer" />
      <Show when={props.hasBaseline}>
        <span class="muted baseline-line">baseline</span>
      </Show>
    </header>
  );
}

/** Whether a finding says what a note says. */
function isTold(note: Note, findings: readonly Finding[]): boolean {
  if (findings.some(({ id }) => id.replaceAll('_', '-') === note.id)) return true;
  const text = note.text.replace(/[.]$/, '');
  return findings.some((finding) => finding.what.includes(text));
}

function NoSteps() {
  return (
    <div class="overview-empty">
      <EmptyState title="No steps in this profile" code={CODE_STEPS}>
        Found no step line, step annotation, or repeating program, so there is no step time. Wrap each
        step of the loop and record again:
      </EmptyState>
    </div>
  );
}
