/** What the capture contains, what is wrong with it, and how to fix it. */
import { For, Show } from 'solid-js';

import { hrefTo } from '../../shell/state';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { CopyButton } from '../../widgets/copy';
import type { VerdictReport } from '../../wire/generated/VerdictReport';
import { createReport } from '../../wire/report';
import { Findings } from './findings';
import './verdict.css';

export default function VerdictView(props: ViewProps) {
  // A verdict is about the whole capture, whatever is selected.
  const report = createReport(
    'verdict',
    () => props.session,
    () => ({}),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <div class="page verdict-page">
          <section class="card">
            <header>
              <h2>Capture</h2>
              <span class="spacer" />
              <CopyButton class="quiet" text={() => data().lines.join('\n')} tip="Copy as text">
                Copy
              </CopyButton>
            </header>
            <div class="card-body verdict-lines">
              <For each={figures(data())}>{(line) => <p>{line}</p>}</For>
            </div>
          </section>
          <section class="card">
            <header>
              <h2>About the recording</h2>
              <span class="spacer" />
              <a href={hrefTo({ view: 'advice' })}>What to change in the program</a>
            </header>
            <div class="card-body">
              <Show
                when={data().findings.length > 0}
                fallback={<p class="muted">The recording has no problems.</p>}
              >
                <Findings findings={data().findings} />
              </Show>
            </div>
          </section>
        </div>
      )}
    </AnswerView>
  );
}

/** The lines that are not findings; findings have their own card. */
function figures(report: VerdictReport): string[] {
  const told = report.findings.map((finding) => finding.what);
  return report.lines.filter(
    (line) => !told.some((what) => line.includes(what)) && !/^\d+ more finding/.test(line),
  );
}
