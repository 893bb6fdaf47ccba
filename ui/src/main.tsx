/** Entry point of the page. */
import { render } from 'solid-js/web';

import { installPalette } from './format/palette';
import { App } from './shell/app';
import { requestEarly } from './shell/early';
import { installTheme } from './shell/theme';
import './shell/theme.css';

/** Longer, the page does not wait for the first requests of its view. */
const PATIENCE_MS = 50;

/** Removes the token, which is in a cookie by now, so that it is not in a copied link. */
function forgetToken(): void {
  const address = new URL(location.href);
  if (address.protocol === 'file:' || !address.searchParams.has('token')) return;
  address.searchParams.delete('token');
  history.replaceState(history.state, '', address);
}

const root = document.getElementById('app');
if (root) {
  forgetToken();
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
