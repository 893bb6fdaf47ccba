/** What to change after the first finding, which the headline shows. */
import { createMemo, For, Show } from 'solid-js';

import { gainWord } from '../../format/gain';
import { formatDuration } from '../../format/numbers';
import { hrefTo } from '../../shell/state';
import { VerdictSign } from '../../widgets/kpi';
import type { AdviceReport } from '../../wire/generated/AdviceReport';
import { nextOf, SIGN_OF } from './next';

export function NextFindings(props: { report: AdviceReport | undefined; isAwaited: boolean }) {
  const findings = () => props.report?.findings ?? [];
  const next = createMemo(() => nextOf(findings()));
  return (
    <Show
      when={next().length > 0}
      fallback={
        <Show when={!props.report && props.isAwaited}>
          <section class="card top-findings" aria-busy="true">
            <header>
              <h2>Then</h2>
            </header>
            <div class="top-findings-awaited" aria-hidden="true">
              <div class="skeleton" />
            </div>
          </section>
        </Show>
      }
    >
      <section class="card top-findings">
        <header>
          <h2>Then</h2>
          <span class="spacer" />
          <a href={hrefTo({ view: 'advice' })}>All findings ({findings().length})</a>
        </header>
        <ol class="card-body">
          <For each={next()}>
            {(finding) => (
              <li>
                <a class={`finding-line is-${finding.severity}`} href={hrefTo({ view: 'advice' })}>
                  <span class="finding-gain number">
                    <Show
                      when={finding.gain_ps_per_step}
                      fallback={<span class="muted">gain not estimated</span>}
                    >
                      {(gain) => (
                        <>
                          <span class="muted">{gainWord(finding)} </span>
                          <b>{formatDuration(Math.round(gain()))}</b>
                          <span class="muted"> per step</span>
                        </>
                      )}
                    </Show>
                  </span>
                  <span>
                    <b>{finding.title}</b>
                    <Show when={SIGN_OF[finding.severity]}>
                      {(verdict) => (
                        <span class="headline-verdict">
                          <VerdictSign verdict={verdict()} />
                        </span>
                      )}
                    </Show>
                    <span class="top-finding-text muted">{finding.what}</span>
                  </span>
                </a>
              </li>
            )}
          </For>
        </ol>
      </section>
    </Show>
  );
}
