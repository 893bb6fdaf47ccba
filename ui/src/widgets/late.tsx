/** A part of the page whose code is fetched when it is first shown, without a placeholder. */
import { ErrorBoundary, Suspense, type JSX } from 'solid-js';

import { showToast } from './toast';

/** Shows its children once their code is there; says so if it cannot be fetched. */
export function Late(props: { children: JSX.Element }) {
  const failed = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    showToast({ text: `Could not be shown: ${reason}`, key: 'late' });
    return null;
  };
  return (
    <ErrorBoundary fallback={failed}>
      <Suspense>{props.children}</Suspense>
    </ErrorBoundary>
  );
}
