/** The page: navigation, header, and the view given by the URL. */
import {
  createEffect,
  createMemo,
  ErrorBoundary,
  lazy,
  on,
  onCleanup,
  onMount,
  Show,
  Suspense,
} from 'solid-js';
import { Dynamic } from 'solid-js/web';

import { Skeleton } from '../widgets/answer';
import { EmptyState } from '../widgets/empty';
import { Late } from '../widgets/late';
import { MenuLayer } from '../widgets/menu/menu';
import { ToastLayer } from '../widgets/toast';
import { TooltipLayer } from '../widgets/tooltip';
import { announceArrivals } from './arrivals';
import { SessionGate } from './gate';
import { isCaptureOpen } from '../capture/open';
import { EditorDialog } from './editor';
import { CommandPalette } from './palette';
import { Rail } from './rail';
import { SelectionBar } from './selection';
import { ShareStrip } from './share-strip';
import { shared } from './shared';
import { analyses, entryView, sessions, summaryOf, titleOf } from './session';
import { handleKey, registerShortcut } from './shortcuts';
import { ShortcutsOverlay } from './shortcuts-overlay';
import { navigate, route } from './state';
import { TopBar } from './topbar';
import { SESSIONS_VIEW, SQL_VIEW, VIEWS } from './views';
import './app.css';
import './media.css';

const CaptureDialog = lazy(() => import('../capture/dialog'));

/** Opened without a hash: if there is only one session, the page goes straight to it. */
const isFirstVisit = typeof window !== 'undefined' && window.location.hash === '';

export function App() {
  const view = createMemo(() => VIEWS.get(route.view));
  const ofAll = createMemo(() => VIEWS.get(route.session === null ? route.view : SESSIONS_VIEW));
  const shown = createMemo(
    () => (route.session === null ? null : { session: route.session }),
    undefined,
    { equals: (one, other) => one?.session === other?.session },
  );

  if (!shared()) announceArrivals();
  onMount(() => {
    window.addEventListener('keydown', handleKey);
    onCleanup(() => window.removeEventListener('keydown', handleKey));
  });
  onCleanup(
    registerShortcut({
      keys: ['/'],
      group: 'Everywhere',
      label: 'Search or filter what is shown',
      run: () => {
        const field = document.querySelector<HTMLInputElement>('main [data-shortcut="search"]');
        if (!field) return false;
        field.focus();
        field.select();
        return true;
      },
    }),
  );
  if (isFirstVisit) {
    createEffect(() => {
      const list = sessions.data()?.sessions;
      const only = list?.length === 1 ? list[0] : undefined;
      if (only && route.session === null && window.location.hash === '') {
        navigate({ session: only.key, view: entryView(only) }, true);
      }
    });
  }
  createEffect(() => {
    const name = summaryOf(route.session)?.name;
    document.title = name ? `${titleOf(route.view)} · ${name} · Stepscope` : 'Stepscope';
  });

  return (
    <>
      <button
        class="skip"
        onClick={() => document.querySelector<HTMLElement>('main.view')?.focus()}
      >
        Skip to the view
      </button>
      <Show when={route.session !== null}>
        <Rail />
      </Show>
      <header class="head">
        <TopBar />
        <Show when={route.session !== null}>
          <div class="page-line">
            <h1 class="page-title" data-session={summaryOf(route.session)?.name ?? ''}>
              {titleOf(route.view)}
            </h1>
            <Show when={shared()} fallback={<Show when={route.view !== SQL_VIEW}><SelectionBar /></Show>}>
              {(report) => <ShareStrip report={report()} />}
            </Show>
          </div>
        </Show>
      </header>
      <main class="view" tabindex="-1">
        <ErrorBoundary fallback={(error: unknown, reset) => <Broken error={error} reset={reset} />}>
          <Suspense fallback={<Skeleton />}>
            {/* Keyed: another session is a new page that keeps nothing of the previous one. */}
            <Show
              when={shown()}
              keyed
              fallback={<Dynamic component={ofAll()} session="" />}
            >
              {({ session }) => (
                <SessionGate>
                  <Show when={view()} fallback={<UnknownView />}>
                    {(component) => <Dynamic component={component()} session={session} />}
                  </Show>
                </SessionGate>
              )}
            </Show>
          </Suspense>
        </ErrorBoundary>
      </main>
      <Show when={isCaptureOpen()}>
        <Late>
          <CaptureDialog />
        </Late>
      </Show>
      <CommandPalette />
      <EditorDialog />
      <ShortcutsOverlay />
      <p class="unseen" aria-live="polite">
        {route.session === null && route.view === SESSIONS_VIEW ? 'All sessions' : titleOf(route.view)}
      </p>
      <ToastLayer />
      <MenuLayer />
      <TooltipLayer />
    </>
  );
}

function UnknownView() {
  const isAnalysis = () => analyses.data()?.some((analysis) => analysis.name === route.view);
  return (
    <EmptyState title={`Unknown view “${route.view}”`}>
      {isAnalysis()
        ? 'This analysis has no page yet. Use it on the command line or as JSON.'
        : 'The link may come from another version. Choose another view.'}
    </EmptyState>
  );
}

/** Error messages of browsers when a part of the page could not be fetched. */
const NOT_FETCHED = /preload CSS|dynamically imported module|importing a module|failed to fetch/i;

function Broken(props: { error: unknown; reset: () => void }) {
  // Going to another view tries again.
  createEffect(on([() => route.view, () => route.session], () => props.reset(), { defer: true }));
  const text = () =>
    props.error instanceof Error ? (props.error.stack ?? props.error.message) : String(props.error);
  return (
    <Show
      when={NOT_FETCHED.test(text())}
      fallback={
        <EmptyState
          title="This view failed"
          code={text()}
          actions={<button onClick={() => props.reset()}>Try again</button>}
        >
          This is a bug in Stepscope, not a problem with your profile. Other views still work. If you
          report the bug, include the text below.
        </EmptyState>
      }
    >
      <EmptyState
        title="The server is not responding"
        actions={<button onClick={() => window.location.reload()}>Reload</button>}
      >
        This view could not be loaded: the server at {window.location.host} has stopped or was
        replaced. Run <code>stepscope view</code> again and reload the page; its URL keeps your place.
      </EmptyState>
    </Show>
  );
}
