/** Starts the page of a report. */
import './install';

import { render } from 'solid-js/web';

import { installPalette } from '../format/palette';
import { App } from '../shell/app';
import { shared } from '../shell/shared';
import { installTheme } from '../shell/theme';
import '../shell/theme.css';

const root = document.getElementById('app');
if (root && shared()) {
  installTheme();
  installPalette(document.documentElement);
  root.textContent = '';
  render(() => <App />, root);
} else if (root) {
  root.textContent = 'This page holds no report. Write one with: stepscope export PATH --html FILE';
}
