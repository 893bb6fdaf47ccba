/** Entry point of the page. */
import { buildPage } from './shell/build';
import './shell/theme.css';

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
  buildPage(root);
}
