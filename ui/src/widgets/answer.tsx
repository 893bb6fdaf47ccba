/** Shows an answer: a skeleton at first, the last answer while the next loads, errors with their hints. */
import { createEffect, createSignal, Match, onCleanup, Show, Switch, type JSX } from 'solid-js';

import { headed } from '../format/text';
import { clearSelection } from '../shell/clearing';
import { selectionParams } from '../shell/state';
import { shared } from '../shell/shared';
import type { WireError } from '../wire/client';
import type { Answer, Question } from '../wire/report';
import { AgainstContext, type Against } from './against';
import { AskedContext } from './asked';
import { EmptyState } from './empty';
import { Hint } from './notes';
import { Prose } from './prose';
import './answer.css';

/** For answers that are not reports of one session. */
const NO_BASELINE: Against = { data: () => undefined, error: () => undefined };

/** Dimmed only if the next answer takes noticeably long. */
const DIM_AFTER_MS = 250;

export function AnswerView<T>(props: {
  answer: Answer<T> & { baseline?: Against; question?: () => Question };
  children: (data: () => T) => JSX.Element;
}) {
  const [isDimmed, setDimmed] = createSignal(false);
  createEffect(() => {
    setDimmed(false);
    if (!props.answer.isLoading()) return;
    const timer = setTimeout(() => setDimmed(true), DIM_AFTER_MS);
    onCleanup(() => clearTimeout(timer));
  });
  return (
    <Switch fallback={<Skeleton />}>
      <Match when={props.answer.error()}>
        {(error) => (
          <EmptyState
            title={<Prose text={headed(error().message).heading} />}
            actions={
              <>
                <Show when={!shared() && mayPass(error())}>
                  <button onClick={() => props.answer.retry()}>Retry</button>
                </Show>
                <ClearSelection />
              </>
            }
          >
            <Show when={headed(error().message).rest}>
              {(rest) => (
                <span class="empty-details">
                  <Prose text={rest()} />
                </span>
              )}
            </Show>
            <Show when={error().hint}>{(hint) => <Hint hint={hint()} />}</Show>
          </EmptyState>
        )}
      </Match>
      <Match when={props.answer.data()}>
        {(data) => (
          <div
            class="answer"
            classList={{ 'is-dimmed': isDimmed() }}
            aria-busy={props.answer.isLoading()}
          >
            <AgainstContext.Provider value={props.answer.baseline ?? NO_BASELINE}>
              <AskedContext.Provider value={{ question: props.answer.question, report: data }}>
                {props.children(data)}
              </AskedContext.Provider>
            </AgainstContext.Provider>
          </div>
        )}
      </Match>
    </Switch>
  );
}

/** Whether a retry may succeed: there was no response, or the server failed. */
const mayPass = ({ status }: WireError) => status === 0 || status >= 500;

/** A button that clears the selection, if there is one; otherwise what it contains. */
export function ClearSelection(props: { children?: JSX.Element }) {
  return (
    <Show when={Object.keys(selectionParams()).length > 0} fallback={props.children}>
      <button onClick={clearSelection}>Clear the selection</button>
    </Show>
  );
}

/** A placeholder for a view that is loading; after a second it shows how long it has been waiting. */
export function Skeleton() {
  const [seconds, setSeconds] = createSignal(0);
  const timer = setInterval(() => setSeconds(seconds() + 1), 1000);
  onCleanup(() => clearInterval(timer));
  return (
    <div class="skeletons">
      <div class="skeleton-cards" aria-hidden="true">
        <div class="skeleton" />
        <div class="skeleton" />
        <div class="skeleton" />
        <div class="skeleton" />
      </div>
      <div class="skeleton is-tall" aria-hidden="true" />
      <Show when={seconds() > 0}>
        <p class="skeleton-words muted number">
          <span role="status">Computing …</span> {seconds()} s
        </p>
      </Show>
    </div>
  );
}
