/** The first page of a session: how long is a step, where does it go, what to look at first. */
import { Show } from 'solid-js';

import { formatDuration } from '../../format/numbers';
import { selectionParams } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import { StepChart } from '../../widgets/steps/chart';
import { useStepKeys } from '../../widgets/steps/keys';
import { CODE_STEPS, sourceText } from '../../widgets/steps/source';
import type { OverviewReport } from '../../wire/generated/OverviewReport';
import { createReport } from '../../wire/report';
import { Devices } from './devices';
import { Environment } from './environment';
import { KeyFigures } from './figures';
import { StepParts } from './parts';
import { TopOps } from './top-ops';
import './overview.css';

export default function OverviewView(props: ViewProps) {
  const session = () => props.session;
  const report = createReport('overview', session, selectionParams);
  // The chart shows all steps, also while only some are selected.
  const whole = createReport('overview', session, () => ({ ...selectionParams(), steps: null }));
  useStepKeys(() => whole.data()?.step_series ?? []);

  return (
    <AnswerView answer={report}>
      {(data) => (
        <div class="page overview">
          <KeyFigures report={data()} />
          <Warnings notes={data().notes} />
          <Show when={data().step_time_ps} fallback={<NoSteps />}>
            <div class="overview-row">
              <section class="card is-column">
                <StepsHead report={data()} />
                <div class="card-body">
                  <StepChart series={whole.data()?.step_series ?? data().step_series} />
                </div>
              </section>
              <StepParts report={data()} />
            </div>
          </Show>
          <div class="overview-row">
            <TopOps report={data()} session={props.session} />
            <Devices devices={data().devices} ratio={data().device_busy_ratio} />
          </div>
          <Environment report={data()} />
          <div
            class="card"
            classList={{ 'is-absent': !data().notes.some((note) => note.kind === 'info') }}
          >
            <Remarks notes={data().notes} />
          </div>
        </div>
      )}
    </AnswerView>
  );
}

function StepsHead(props: { report: OverviewReport }) {
  return (
    <header>
      <h2 data-figure="step_parts">Steps</h2>
      <Show when={props.report.step_time_ps}>
        {(time) => (
          <span class="muted" data-tip={sourceText(time().source).long}>
            {sourceText(time().source).short}, {formatDuration(time().min)} to{' '}
            {formatDuration(time().max)}
          </span>
        )}
      </Show>
    </header>
  );
}

function NoSteps() {
  return (
    <div class="overview-empty">
      <EmptyState title="No steps in this profile" code={CODE_STEPS}>
        No step line, no step annotation, and no program that repeats was found, so there is no step
        time. Wrap each step of the loop and record again:
      </EmptyState>
    </div>
  );
}
