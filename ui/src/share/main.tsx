/** Entry point of a report's page. */
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
  root.textContent = 'This page contains no report. Create one with: stepscope export PATH --html FILE';
}
