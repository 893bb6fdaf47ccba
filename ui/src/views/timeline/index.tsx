/** The timeline: every slice of the session on the tracks where it ran. */
import { createEffect, createSignal, on, Show } from 'solid-js';

import { baseline } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { timelineReportUrl } from '../../timeline/report-url';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import type { TimelineReport } from '../../wire/generated/TimelineReport';
import { createAnswer } from '../../wire/report';
import { Workspace } from './workspace';
import './timeline.css';

export { begin } from './begin';

export default function TimelineView(props: ViewProps) {
  const answer = createAnswer<TimelineReport>(() => timelineReportUrl(props.session));
  const against = createAnswer<TimelineReport>(() => {
    const session = baseline();
    return session === null ? null : timelineReportUrl(session);
  });
  // One object per answer: a new object would recreate the timelines.
  const [shownBaseline, setShownBaseline] = createSignal<{
    report: TimelineReport;
    session: string;
  }>();
  createEffect(
    on([against.data, baseline], ([report, session]) => {
      const isNew = report !== undefined && report !== shownBaseline()?.report;
      if (session === null) setShownBaseline(undefined);
      else if (isNew && report.slice_count > 0) setShownBaseline({ report, session });
      else if (isNew || shownBaseline()?.session !== session) setShownBaseline(undefined);
    }),
  );
  let root!: HTMLDivElement;
  // Keys work immediately, without a click into the page.
  createEffect(() => answer.data() && document.activeElement === document.body && root.focus());

  return (
    <div class="timeline" tabindex="-1" ref={root}>
      <AnswerView answer={answer}>
        {(report) => (
          <Show
            when={report().slice_count > 0 ? report() : null}
            keyed
            fallback={<NothingRecorded />}
          >
            {(shown) => (
              <Workspace report={shown} session={props.session} baseline={shownBaseline()} />
            )}
          </Show>
        )}
      </AnswerView>
    </div>
  );
}

function NothingRecorded() {
  return (
    <EmptyState
      title="This session has no slices"
      code={'with jax.profiler.trace(log_dir):\n    step(state, batch).block_until_ready()'}
    >
      The profiler wrote a file, but recorded no events. Record while steps run, and wait for the
      device before the recording ends.
    </EmptyState>
  );
}
