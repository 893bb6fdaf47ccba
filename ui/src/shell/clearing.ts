/** Clears parts of what is selected, and offers to take it back. */
import { showToast } from '../widgets/toast';
import {
  baseline,
  select,
  selected,
  SELECTION_KEYS,
  selectionParams,
  setBaseline,
  setParams,
  type SelectionKey,
} from './state';

/** Clears the whole selection. */
export function clearSelection(): void {
  const before = selectionParams();
  if (Object.keys(before).length === 0) return;
  setParams(Object.fromEntries(SELECTION_KEYS.map((key) => [key, null])), false);
  offerUndo('Selection cleared', () => setParams(before, false));
}

/** Clears one part of the selection. */
export function clearSelected(key: SelectionKey, title: string): void {
  const before = selected(key);
  select(key, null);
  offerUndo(`${title} cleared`, () => select(key, before));
}

/** Compares with nothing. */
export function clearBaseline(): void {
  const before = baseline();
  setBaseline(null);
  offerUndo('Baseline cleared', () => setBaseline(before));
}

function offerUndo(text: string, run: () => void): void {
  showToast({ text, action: { title: 'Undo', run }, key: 'cleared' });
}
