/**
 * Opens the session of the URL, or the part of it that the view reads, before the view is shown.
 * Shows progress while it loads and the reason if it fails.
 */
import { createSignal, lazy, Match, onCleanup, Show, Suspense, Switch, type JSX } from 'solid-js';

import { formatBytes } from '../format/numbers';
import { headed } from '../format/text';
import { EmptyState } from '../widgets/empty';
import { Skeleton } from '../widgets/answer';
import { Hint } from '../widgets/notes';
import { Progress } from '../widgets/progress';
import { Prose } from '../widgets/prose';
import { getJson } from '../wire/client';
import type { ProgressReport } from '../wire/types';
import { FIRST_VIEW } from './hash';
import { fetchRest, hasManyHosts, isEnough, opened, summaryOf } from './session';
import { hrefTo, route } from './state';
import './gate.css';

const POLL_MS = 120;
const Preview = lazy(() => import('../views/overview/preview'));

export function SessionGate(props: { children: JSX.Element }) {
  return (
    <Switch fallback={<Skeleton />}>
      <Match when={opened.error()}>
        {(error) => (
          <EmptyState
            title={<Prose text={headed(error().message).heading} />}
            actions={
              <>
                <button onClick={() => opened.retry()}>Retry</button>
                <a class="button" href={hrefTo({ session: null, view: 'sessions' })}>
                  All sessions
                </a>
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
            <Show when={error().hint} fallback="The session could not be opened.">
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

/** For a remote session: how much of it was fetched for the view. */
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
            {formatBytes(session().size_bytes)} fetched. This view doesn't need the host threads;
            views that do will fetch them.
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
  /** A session whose opening takes long enough to look at a part of it. */
  const previewed = () => {
    const isPreviewed = hasManyHosts(route.session) && route.view === FIRST_VIEW;
    return isPreviewed ? summaryOf(route.session) : undefined;
  };
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
        <>
          <Progress
            title="Opening the session"
            message={now().message}
            done={now().done_bytes}
            total={now().total_bytes}
          />
          <Show when={previewed()}>
            {(session) => (
              <Suspense>
                <Preview session={session().key} hostCount={session().hosts.length} />
              </Suspense>
            )}
          </Show>
        </>
      )}
    </Show>
  );
}
