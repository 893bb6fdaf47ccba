/** What changed between sessions, whether it is more than noise, and why. */
import { createMemo, For, Show } from 'solid-js';

import { changeOfTime, relativeText, signedText, STEP_CHANGE_MEANING } from '../../compare/change';
import { formatDuration, formatRatio } from '../../format/numbers';
import { withUnits } from '../../format/units';
import { comparable, otherSessions, sessions, summaryOf } from '../../shell/session';
import { calledInShort } from '../../shell/session-order';
import {
  baseline,
  getParam,
  route,
  selectionParams,
  setBaseline,
  setParams,
  swapBaseline,
} from '../../shell/state';
import { SessionChoice } from '../../shell/session-choice';
import type { ViewProps } from '../../shell/views';
import { AnswerView } from '../../widgets/answer';
import { EmptyState } from '../../widgets/empty';
import { Remarks, Warnings } from '../../widgets/notes';
import { scrollToPart } from '../../widgets/scroll';
import { comparisonUrl, createAnswer } from '../../wire/report';
import type { CompareReport } from '../../wire/types';
import type { SessionDifference } from '../../wire/generated/SessionDifference';
import type { TimeDifference } from '../../wire/generated/TimeDifference';
import { Distributions, StepSeries } from './distributions';
import { Causes, Falls } from './falls';
import { SessionFigures } from './figures';
import { Ops, ownOps } from './ops';
import { Environment, Programs } from './programs';
import { sessionColor } from './colors';
import './compare.css';

/** The same limit as in the shell, so that the report is fetched only once. */
const OPS_LIMIT = 5000;

export default function CompareView(props: ViewProps) {
  return (
    <Show when={baseline() !== null} fallback={<NoBaseline session={props.session} />}>
      <Compared session={props.session} />
    </Show>
  );
}

function Compared(props: { session: string }) {
  const ids = createMemo(() => [baseline() ?? '', props.session, ...otherSessions()]);
  const report = createAnswer<CompareReport>(() =>
    comparisonUrl(ids(), { ...selectionParams(), limit: OPS_LIMIT }),
  );
  return (
    <AnswerView answer={report}>
      {(data) => {
        const of = () => {
          const wanted = Number(getParam('of') ?? '1');
          return data().differences.some((each) => each.session === wanted) ? wanted : 1;
        };
        const difference = () => data().differences.find((each) => each.session === of());
        /** With several sessions, all are compared first, and one of them is explained below. */
        const hasSeveral = () => data().differences.length > 1;
        const own = createMemo(() => ownOps(data(), of()));
        const showOp = (index: number) => {
          const { ops, keys } = own();
          const at = ops.findIndex((op) => op.index === index);
          setParams({ op: keys.at(at), show: null }, false);
          scrollToPart('compare-ops');
        };
        const name = () => `stepscope-${summaryOf(props.session)?.name ?? 'session'}-compare`;
        return (
          <div class="page compare">
            <Answers report={data()} of={of()} />
            <Warnings notes={data().notes} />
            <div class="compare-row">
              <Distributions report={data()} />
              <StepSeries report={data()} />
            </div>
            <Show when={hasSeveral()}>
              <SessionFigures report={data()} />
            </Show>
            <Show when={difference()}>
              {(found) => (
                <>
                  <Show when={hasSeveral()}>
                    <Which report={data()} of={of()} />
                  </Show>
                  <div class="compare-row">
                    <Falls report={data()} difference={found()} onOp={showOp} />
                    <Causes report={data()} difference={found()} onOp={showOp} />
                  </div>
                  <Show when={!hasSeveral()}>
                    <SessionFigures report={data()} />
                  </Show>
                  <Ops own={own()} of={of()} ids={ids()} fileName={name()} />
                  <Programs difference={found()} />
                  <Environment difference={found()} />
                </>
              )}
            </Show>
            <div class="card">
              <Remarks notes={data().notes} />
            </div>
          </div>
        );
      }}
    </AnswerView>
  );
}

/** The answer in a sentence for every session. */
function Answers(props: { report: CompareReport; of: number }) {
  return (
    <section class="card compare-answers" aria-label="Answer">
      <For each={props.report.differences}>
        {(difference) => <Sentence report={props.report} difference={difference} />}
      </For>
    </section>
  );
}

/** The difference with its interval, in words. */
function intervalText(step: TimeDifference, confidence: number): string {
  const text = (ps: number) => signedText('duration', Math.round(ps));
  if (step.p_value === null) {
    return `${text(step.difference_ps)}; too few steps to estimate noise`;
  }
  const sure = formatRatio(confidence).replace('.0', '');
  const ends = `${text(step.low_ps)} to ${text(step.high_ps)}`;
  return `${text(step.difference_ps)} per typical step (${sure} confidence interval: ${ends})`;
}

function Sentence(props: { report: CompareReport; difference: SessionDifference }) {
  const step = () => props.difference.step;
  const change = () => changeOfTime(step());
  return (
    <div class="compare-answer">
      <Show when={change()}>
        {(found) => (
          <span
            class={`compare-big number change is-${found().tone}`}
            data-tip={STEP_CHANGE_MEANING}
          >
            {found().tone === 'same' ? '=' : relativeText(found().ratio)}
          </span>
        )}
      </Show>
      <div>
        <p class="compare-sentence">{withUnits(props.difference.conclusion)}</p>
        <Show when={step()}>
          {(found) => (
            <p class="muted number" data-figure="compare.interval">
              {intervalText(found(), props.report.confidence_ratio)}
            </p>
          )}
        </Show>
      </div>
      <Show when={props.report.differences.length === 1}>
        <span class="spacer" />
        <button data-tip="Swap the session and the baseline" onClick={swapBaseline}>
          Swap
        </button>
        <AddSession />
      </Show>
    </div>
  );
}

/** Adds a third session, and so on. */
function AddSession() {
  const others = () =>
    comparable().filter(
      (session) =>
        session.key !== baseline() &&
        !otherSessions().includes(session.key) &&
        session.key !== route.session,
    );
  return (
    <Show when={others().length > 0}>
      <select
        aria-label="Add a session"
        onChange={(event) => {
          const added = event.currentTarget.value;
          event.currentTarget.value = '';
          if (added) setParams({ also: [...otherSessions(), added].join(',') }, false);
        }}
      >
        <option value="">Add a session …</option>
        <For each={others()}>
          {(session) => <option value={session.key}>{session.name}</option>}
        </For>
      </select>
    </Show>
  );
}

/** Chooses which of several sessions is explained below. */
function Which(props: { report: CompareReport; of: number }) {
  return (
    <div class="compare-which">
      <span class="muted">Details below:</span>
      <span class="segmented">
        <For each={props.report.differences}>
          {(difference) => (
            <button
              aria-pressed={difference.session === props.of}
              onClick={() =>
                setParams(
                  { of: difference.session === 1 ? null : difference.session, op: null },
                  false,
                )
              }
            >
              <span class="swatch" style={{ background: sessionColor(difference.session) }} />{' '}
              {props.report.sessions[difference.session]?.name}
              <Show when={difference.step}>
                {(step) => (
                  <span class="muted number"> {formatDuration(Math.round(step().mean_ps))}</span>
                )}
              </Show>
            </button>
          )}
        </For>
      </span>
      <AddSession />
      <button class="quiet" onClick={() => setParams({ also: null, of: null }, false)}>
        Compare only two
        </button>
    </div>
  );
}

const nameOf = (key: string) => {
  const session = summaryOf(key);
  return session && calledInShort(session, sessions.data()?.root ?? '');
};

function NoBaseline(props: { session: string }) {
  const others = () =>
    comparable().filter((session) => session.key !== props.session);
  return (
    <Show
      when={others().length > 0}
      fallback={
        <EmptyState
          title="No other session to compare with"
          code={
            'with jax.profiler.trace("/tmp/profile"):      # once before, once after a change\n    for step in range(20):\n        with jax.profiler.StepTraceAnnotation("train", step_num=step):\n            state = train_step(state, batch)\n    jax.block_until_ready(state)\n\n# then: stepscope compare /tmp/profile'
          }
        >
          This folder contains one session. Record a second one into the same log directory, or open
          the parent folder of both; then choose the baseline here. On the command line, use{' '}
          <code>stepscope compare BEFORE AFTER</code>.
        </EmptyState>
      }
    >
      <EmptyState
        title="Which session is the baseline?"
        actions={
          <div class="baseline-choice">
            <SessionChoice sessions={others()} chosen={null} onChoose={setBaseline} />
          </div>
        }
      >
        <span>
          {nameOf(props.session)} is compared with it: how the step time changed, whether
          the change is beyond noise, and which ops, programs and flags caused it.
        </span>
      </EmptyState>
    </Show>
  );
}
