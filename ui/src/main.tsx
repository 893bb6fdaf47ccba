/** Entry point of the page. */
import { render } from 'solid-js/web';

import { installPalette } from './format/palette';
import { App } from './shell/app';
import { requestEarly } from './shell/early';
import { installTheme } from './shell/theme';
import './shell/theme.css';

const root = document.getElementById('app');
if (root) {
  requestEarly();
  installTheme();
  installPalette(document.documentElement);
  // A task of its own: together with running the code of the page, it would block for too long.
  setTimeout(() => {
    root.textContent = '';
    render(() => <App />, root);
  });
}
