/** Findings about the capture: what, why, and how to fix it. */
import { For, Show } from 'solid-js';

import { Hint, InlineHint } from '../../widgets/notes';
import type { Finding } from '../../wire/generated/Finding';
import type { Severity } from '../../wire/generated/Severity';
import './verdict.css';

const WORDS: Record<Severity, string> = { bad: 'Bad', warning: 'Warning', info: 'Note' };

export function Findings(props: { findings: readonly Finding[] }) {
  return (
    <ul class="findings">
      <For each={props.findings}>
        {(finding) => (
          <li class={`finding is-${finding.severity}`}>
            <span class="finding-word">{WORDS[finding.severity]}</span>
            <div>
              <p class="finding-what">{finding.what}</p>
              <Show when={finding.why}>
                <p>
                  <InlineHint text={finding.why} />
                </p>
              </Show>
              <Show when={finding.fix}>
                <Hint hint={finding.fix} />
              </Show>
            </div>
          </li>
        )}
      </For>
    </ul>
  );
}
