/** N and P select the next and the previous step, in views that have steps. */
import { onCleanup } from 'solid-js';

import { registerShortcut } from '../../shell/shortcuts';
import { selected, setParams } from '../../shell/state';
import { stepTest } from './layout';

export function useStepKeys(series: () => readonly { step: number }[]): void {
  const move = (by: 1 | -1) => {
    const steps = [...new Set(series().map((entry) => entry.step))];
    if (steps.length === 0) return false;
    const test = stepTest(selected('steps'));
    const chosen = test ? steps.filter(test) : [];
    const edge = by === 1 ? chosen[chosen.length - 1] : chosen[0];
    const from = edge === undefined ? (by === 1 ? -1 : steps.length) : steps.indexOf(edge);
    const next = steps[Math.max(0, Math.min(steps.length - 1, from + by))];
    // Moving through steps leaves one entry in the browser history, not one per step.
    if (next !== undefined) setParams({ steps: next }, selected('steps') !== '');
    return true;
  };
  const undo = [
    registerShortcut({
      keys: ['n'],
      group: 'Steps',
      label: 'Select the next step',
      run: () => move(1),
    }),
    registerShortcut({
      keys: ['p'],
      group: 'Steps',
      label: 'Select the previous step',
      run: () => move(-1),
    }),
  ];
  onCleanup(() => undo.forEach((unregister) => unregister()));
}
