/** Whether the page is being printed. */
import { createSignal, onCleanup, type Accessor } from 'solid-js';

/** True from just before the browser lays out the pages until they are printed. */
export function createPrinting(): Accessor<boolean> {
  const [isPrinting, setPrinting] = createSignal(false);
  const begin = () => setPrinting(true);
  const end = () => setPrinting(false);
  window.addEventListener('beforeprint', begin);
  window.addEventListener('afterprint', end);
  onCleanup(() => {
    window.removeEventListener('beforeprint', begin);
    window.removeEventListener('afterprint', end);
  });
  return isPrinting;
}
