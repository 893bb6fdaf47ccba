/** The page: top bar, selection, and the view the URL names. */
import {
  createEffect,
  createMemo,
  ErrorBoundary,
  on,
  onCleanup,
  onMount,
  Show,
  Suspense,
} from 'solid-js';
import { Dynamic } from 'solid-js/web';

import { Skeleton } from '../widgets/answer';
import { EmptyState } from '../widgets/empty';
import { TooltipLayer } from '../widgets/tooltip';
import { SessionGate } from './gate';
import { CaptureDialog } from '../capture/dialog';
import { CommandPalette } from './palette';
import { SelectionBar } from './selection';
import { ShareStrip } from './share-strip';
import { shared } from './shared';
import { analyses, entryView, sessions, summaryOf, titleOf } from './session';
import { handleKey, registerShortcut } from './shortcuts';
import { ShortcutsOverlay } from './shortcuts-overlay';
import { navigate, route } from './state';
import { TopBar } from './topbar';
import { SESSIONS_VIEW, VIEWS } from './views';
import './app.css';

/** The page came without a hash: with a single session there is nothing to choose. */
const isFirstVisit = typeof window !== 'undefined' && window.location.hash === '';

export function App() {
  const view = createMemo(() => VIEWS.get(route.view));
  const shown = createMemo(
    () => (route.session === null ? null : { session: route.session }),
    undefined,
    { equals: (one, other) => one?.session === other?.session },
  );

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
      <TopBar />
      <Show when={route.session !== null}>
        <Show when={shared()} fallback={<SelectionBar />}>
          {(report) => <ShareStrip report={report()} />}
        </Show>
      </Show>
      <main class="view" tabindex="-1">
        <ErrorBoundary fallback={(error: unknown, reset) => <Broken error={error} reset={reset} />}>
          <Suspense fallback={<Skeleton />}>
            {/* Keyed: another session is another page, with nothing left of the one before. */}
            <Show
              when={shown()}
              keyed
              fallback={<Dynamic component={VIEWS.get(SESSIONS_VIEW)} session="" />}
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
      <CaptureDialog />
      <CommandPalette />
      <ShortcutsOverlay />
      <TooltipLayer />
    </>
  );
}

function UnknownView() {
  const isAnalysis = () => analyses.data()?.some((analysis) => analysis.name === route.view);
  return (
    <EmptyState title={`There is no view named “${route.view}”`}>
      {isAnalysis()
        ? 'This analysis answers on the command line and as JSON; it has no page yet.'
        : 'The link may come from another version. Choose a view above.'}
    </EmptyState>
  );
}

/** What browsers say where a part of the page could not be fetched. */
const NOT_FETCHED = /preload CSS|dynamically imported module|importing a module|failed to fetch/i;

function Broken(props: { error: unknown; reset: () => void }) {
  // Another view is another try.
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
          That is a defect of Stepscope, not of your profile. The other views still work; the text
          below helps to find it.
        </EmptyState>
      }
    >
      <EmptyState
        title="The server does not answer"
        actions={<button onClick={() => window.location.reload()}>Reload</button>}
      >
        This view was not loaded yet, and the server at {window.location.host} has ended or is
        another one by now. Start <code>stepscope view</code> again, then reload the page: its
        address keeps what you see.
      </EmptyState>
    </Show>
  );
}
