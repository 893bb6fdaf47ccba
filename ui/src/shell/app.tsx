/** The page: top bar and the view the URL names. */
import { Show, Suspense } from 'solid-js';
import { Dynamic } from 'solid-js/web';

import { route } from './state';
import { VIEWS } from './views';

export function App() {
  return (
    <main>
      <Suspense>
        <Show when={route.session !== null && VIEWS.get(route.view)}>
          {(view) => <Dynamic component={view()} session={route.session ?? 0} />}
        </Show>
      </Suspense>
    </main>
  );
}
