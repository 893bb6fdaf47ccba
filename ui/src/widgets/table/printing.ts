/** Whether the page is being printed, and how a table fits on paper. */
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

/** Letter in landscape between its margins, the narrower one of the usual papers. */
const PAPER_PX = 960;
/** Smaller figures cannot be read. */
const LEAST_ZOOM = 0.45;

/** How much smaller a table of this width is on paper, and whether its last columns are cut even so. */
export function paperFit(widthPx: number): { zoom: number; isCut: boolean } {
  const zoom = Math.min(1, PAPER_PX / Math.max(1, widthPx));
  return { zoom: Math.max(LEAST_ZOOM, zoom), isCut: zoom < LEAST_ZOOM };
}
