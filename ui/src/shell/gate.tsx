/**
 * Opens the session of the URL before its view is shown, as far as the view reads it: bytes while it
 * loads, reasons when it fails.
 */
import { createSignal, Match, onCleanup, Show, Switch, type JSX } from 'solid-js';

import { formatBytes } from '../format/numbers';
import { sentence } from '../format/text';
import { EmptyState } from '../widgets/empty';
import { Skeleton } from '../widgets/answer';
import { Hint } from '../widgets/notes';
import { Progress } from '../widgets/progress';
import { Prose } from '../widgets/prose';
import { getJson } from '../wire/client';
import type { ProgressReport } from '../wire/types';
import { fetchRest, isEnough, opened } from './session';
import { hrefTo, route } from './state';
import './gate.css';

const POLL_MS = 120;

export function SessionGate(props: { children: JSX.Element }) {
  return (
    <Switch fallback={<Skeleton />}>
      <Match when={opened.error()}>
        {(error) => (
          <EmptyState
            title={<Prose text={sentence(error().message)} />}
            actions={
              <>
                <button onClick={() => opened.retry()}>Retry</button>
                <a class="button" href={hrefTo({ session: null, view: 'sessions' })}>
                  All sessions
                </a>
              </>
            }
          >
            <Show when={error().hint} fallback="The session cannot be shown.">
              {(hint) => <Hint hint={hint()} />}
            </Show>
          </EmptyState>
        )}
      </Match>
      <Match when={isEnough()}>
        <InParts />
        {props.children}
      </Match>
      <Match when={opened.isLoading()}>
        <Opening />
      </Match>
    </Switch>
  );
}

/** Of a session far away: how little was fetched for the view. */
function InParts() {
  const parts = () => {
    const session = opened.data();
    return session?.state === 'in_parts' ? session : undefined;
  };
  return (
    <Show when={parts()}>
      {(session) => (
        <p class="in-parts" role="note">
          <span>
            {formatBytes(session().size_bytes - session().left_out_bytes)} of{' '}
            {formatBytes(session().size_bytes)} are fetched: threads of the host stay where they are,
            because this view takes nothing from them. Views that need them fetch them.
          </span>
          <button class="quiet" onClick={fetchRest}>
            Fetch the rest
          </button>
        </p>
      )}
    </Show>
  );
}

function Opening() {
  const [progress, setProgress] = createSignal<ProgressReport>();
  const poll = () => {
    getJson<ProgressReport>(`api/sessions/${route.session}/progress`, undefined, false).then(
      setProgress,
      () => undefined,
    );
  };
  const timer = setInterval(poll, POLL_MS);
  onCleanup(() => clearInterval(timer));
  return (
    <Show when={progress()} fallback={<Skeleton />}>
      {(now) => (
        <Progress
          title="Opening the session"
          message={now().message}
          done={now().done_bytes}
          total={now().total_bytes}
        />
      )}
    </Show>
  );
}
