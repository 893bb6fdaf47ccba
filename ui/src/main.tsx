/** Entry point of the page. */
import { render } from 'solid-js/web';

import { installPalette } from './format/palette';
import { App } from './shell/app';
import { installTheme } from './shell/theme';
import './shell/theme.css';

const root = document.getElementById('app');
if (root) {
  installTheme();
  installPalette(document.documentElement);
  root.textContent = '';
  render(() => <App />, root);
}
