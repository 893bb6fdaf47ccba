/** Tells a reader inside a session that a new capture landed next to it. */
import { createEffect, onCleanup } from 'solid-js';

import { showToast } from '../widgets/toast';
import { entryView, sessions } from './session';
import { navigate, route } from './state';

const POLL_MS = 10_000;

/** Asks for the list of sessions while the page is visible, and announces those that were not in it. */
export function announceArrivals(): void {
  let known: ReadonlySet<string> | undefined;
  const timer = setInterval(
    () => document.visibilityState === 'visible' && sessions.retry(),
    POLL_MS,
  );
  onCleanup(() => clearInterval(timer));
  createEffect(() => {
    const list = sessions.data()?.sessions;
    if (!list) return;
    const before = known;
    known = new Set(list.map(({ key }) => key));
    const arrived = list.filter(({ key }) => before !== undefined && !before.has(key));
    const [newest] = arrived;
    // The list of sessions shows it, and whoever captured it is led to it.
    if (!newest || route.session === null || route.session === newest.key) return;
    showToast({
      text:
        arrived.length === 1
          ? `New capture: ${newest.name}`
          : `${arrived.length} new captures, the newest is ${newest.name}`,
      key: 'arrival',
      action: {
        title: 'Open',
        run: () => navigate({ session: newest.key, view: entryView(newest) }),
      },
    });
  });
}
