/** What to change, worst first and then largest gain, with evidence; then the checks that passed or did not run. */
import { For, Show } from 'solid-js';

import { gainWord } from '../../format/gain';
import { formatDuration, formatRatio, plural } from '../../format/numbers';
import { titleOf } from '../../shell/session';
import { hrefTo, selectionParams } from '../../shell/state';
import { VIEWS, type ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { CodeBlock } from '../../widgets/copy';
import { InlineHint, Remarks } from '../../widgets/notes';
import { SourceText } from '../../widgets/source-text';
import { scrollToPart } from '../../widgets/scroll';
import type { AdviceCheck } from '../../wire/generated/AdviceCheck';
import type { AdviceEvidence } from '../../wire/generated/AdviceEvidence';
import type { AdviceFinding } from '../../wire/generated/AdviceFinding';
import type { Severity } from '../../wire/generated/Severity';
import { createReport } from '../../wire/report';
import { linksOf, overlapping } from './evidence';
import './advice.css';

const WORDS: Record<Severity, string> = { bad: 'Bad', warning: 'Warning', info: 'Note' };
const KNOWN: ReadonlySet<string> = new Set(VIEWS.keys());

export default function AdviceView(props: ViewProps) {
  const report = createReport(
    'advice',
    () => props.session,
    () => ({ ...selectionParams() }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => (
        <div class="page advice">
          <header class="advice-head">
            <h2>{headline(data().findings)}</h2>
            <Show when={data().step_ps}>
              {(step) => (
                <span class="muted number">mean step {formatDuration(Math.round(step()))}</span>
              )}
            </Show>
          </header>
          <ol class="advice-list">
            <For each={data().findings}>
              {(finding, index) => (
                <Card finding={finding} number={index() + 1} all={data().findings} />
              )}
            </For>
          </ol>
          <Checks title="Passed" mark="✓" checks={data().passed} />
          <Checks title="Not checked" mark="–" checks={data().skipped} />
          <Remarks notes={data().notes} />
        </div>
      )}
    </AnswerView>
  );
}

function headline(findings: readonly AdviceFinding[]): string {
  return findings.length === 0
    ? 'No improvements found'
    : `${plural(findings.length, 'thing')} to look at`;
}

/** How the gain was obtained, and what the recording leaves open. */
function estimateOf(finding: AdviceFinding): string {
  if (!finding.is_replayed) {
    return `At most: ${finding.estimate}.`;
  }
  const [low, high] = [finding.low_gain_ps_per_step, finding.high_gain_ps_per_step];
  return low === null || high === null
    ? `Gain, ${finding.estimate}.`
    : `Gain, ${finding.estimate}. Between ${formatDuration(Math.round(low))} and ${formatDuration(Math.round(high))}, depending on what the recording leaves open.`;
}

function Card(props: {
  finding: AdviceFinding;
  number: number;
  all: readonly AdviceFinding[];
}) {
  const finding = () => props.finding;
  const same = () => overlapping(finding(), props.all);
  return (
    <li class={`card advice-card is-${finding().severity}`} id={`finding-${props.number}`}>
      <header>
        <span class="advice-number number">{props.number}</span>
        <h3>{finding().title}</h3>
        <span class="advice-word">{WORDS[finding().severity]}</span>
        <span class="spacer" />
        <Show when={finding().gain_ps_per_step}>
          {(gain) => (
            <span class="advice-gain" data-tip={estimateOf(finding())}>
              <span class="muted">{gainWord(finding())}</span>{' '}
              <strong class="number">{formatDuration(Math.round(gain()))}</strong>{' '}
              <span class="muted">per step</span>
              <Show when={finding().gain_ratio}>
                {(ratio) => (
                  <>
                    <span class="advice-bar" aria-hidden="true">
                      <span style={{ width: `${100 * Math.min(1, ratio())}%` }} />
                    </span>
                    <span class="number advice-share">{formatRatio(ratio())}</span>
                  </>
                )}
              </Show>
            </span>
          )}
        </Show>
      </header>
      <div class="card-body">
        <p class="advice-what">{finding().what}</p>
        <Show when={finding().why}>
          <p class="muted">
            <InlineHint text={finding().why} />
          </p>
        </Show>
        <Show when={finding().fix}>
          <p>
            <strong>What to do.</strong> <InlineHint text={finding().fix} />
          </p>
        </Show>
        <Show when={finding().code}>{(code) => <CodeBlock code={code()} />}</Show>
        <Show when={finding().evidence.length > 0}>
          <ul class="advice-evidence">
            <For each={finding().evidence}>{(evidence) => <Evidence evidence={evidence} />}</For>
          </ul>
        </Show>
        <Show when={finding().also_seen_as.length > 0}>
          <ul class="advice-evidence">
            <For each={finding().also_seen_as}>
              {(other) => (
                <li data-tip={`Rule ${other.id}`}>
                  <strong>Also seen as {other.title}.</strong> <span class="muted">{other.what}</span>
                </li>
              )}
            </For>
          </ul>
        </Show>
        <p class="advice-foot muted" data-tip={`Rule ${finding().id}`}>
          Confidence {finding().confidence}
          <Show when={finding().estimate}>
            {(estimate) => (
              <>
                {finding().is_replayed ? ' · ' : ' · at most: '}
                <InlineHint text={estimate()} />
              </>
            )}
          </Show>
          {/* A replayed estimate has this link already. */}
          <Show when={finding().estimate?.includes('`stepscope what_if') ? null : finding().change}>
            {(change) => (
              <>
                {' · '}
                <a href={hrefTo({ view: 'what_if', params: { change: change() } })}>try it in what-if</a>
              </>
            )}
          </Show>
          <For each={finding().together}>
            {(one) => (
              <>
                {' · '}
                {formatDuration(Math.round(one.gain_ps_per_step))} per step together with{' '}
                <FindingLink id={one.id} all={props.all} />
              </>
            )}
          </For>
          <Show when={same().length > 0}>
            {' · '}overlaps with{' '}
            <For each={same()}>
              {(other, index) => (
                <>
                  {index() > 0 ? ', ' : ''}
                  <button type="button" onClick={() => scrollToPart(`finding-${other.number}`)}>
                    {other.number} {other.title}
                  </button>
                </>
              )}
            </For>
          </Show>
        </p>
      </div>
    </li>
  );
}

/** Another finding by its title, as a button that scrolls to it; its rule if it is not listed. */
function FindingLink(props: { id: string; all: readonly AdviceFinding[] }) {
  const position = () => props.all.findIndex(({ id }) => id === props.id);
  return (
    <Show when={props.all[position()]} fallback={<code>{props.id}</code>}>
      {(other) => (
        <button type="button" onClick={() => scrollToPart(`finding-${position() + 1}`)}>
          {position() + 1} {other().title}
        </button>
      )}
    </Show>
  );
}

function Evidence(props: { evidence: AdviceEvidence }) {
  const links = () => linksOf(props.evidence, KNOWN);
  return (
    <li>
      <span>{props.evidence.text}</span>
      <Show when={props.evidence.source}>
        {(source) => (
          <span class="advice-source">
            <SourceText text={source()} isStop />
          </span>
        )}
      </Show>
      <For each={links()}>
        {(link) => <a href={hrefTo({ view: link.view, params: link.params })}>{titleOf(link.view)} →</a>}
      </For>
    </li>
  );
}

function Checks(props: { title: string; mark: string; checks: readonly AdviceCheck[] }) {
  return (
    <Show when={props.checks.length > 0}>
      <details class="card advice-checks">
        <summary>
          {props.title} ({props.checks.length})
        </summary>
        <ul>
          <For each={props.checks}>
            {(check) => (
              <li>
                <span class="advice-mark" aria-hidden="true">
                  {props.mark}
                </span>
                <span>{check.title}</span>
                <span class="muted">{check.text}</span>
              </li>
            )}
          </For>
        </ul>
      </details>
    </Show>
  );
}
