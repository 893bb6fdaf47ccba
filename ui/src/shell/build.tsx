/** Builds a page that a server or a kernel answers. */
import { render } from 'solid-js/web';

import { installPalette } from '../format/palette';
import { App } from './app';
import { requestEarly } from './early';
import { installTheme } from './theme';

/**
 * Longer, the page does not wait for the first requests of its view. Building it takes as long as a
 * server needs for a tile, and a report that arrives meanwhile would have to wait for that.
 */
const PATIENCE_MS = 250;

/** Builds the page in `root`, once the first requests of its view are on their way. */
export function buildPage(root: HTMLElement): void {
  const isRequested = requestEarly();
  installTheme();
  installPalette(document.documentElement);
  // A task of its own: together with running the code of the page, it would block for too long.
  const isLate = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  void Promise.race([isRequested, isLate]).then(() =>
    setTimeout(() => {
      root.textContent = '';
      render(() => <App />, root);
    }),
  );
}
