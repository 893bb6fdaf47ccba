/** Entry point of the page in a notebook's cell, with the view that most cells show. */
import { buildPage } from '../shell/build';
import '../shell/theme.css';
import '../views/timeline/index';
import { installCode } from './code';
import { framedPlace, installFrame } from './frame';

const root = document.getElementById('app');
if (root) {
  installFrame();
  installCode(import.meta.url);
  // Relative URLs of such a page are those of the window around it, so the history rejects them.
  window.location.hash = framedPlace() ?? '';
  buildPage(root);
}
