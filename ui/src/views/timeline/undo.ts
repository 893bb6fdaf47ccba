/** What changes rows can be undone for a few seconds. */
import type { LayoutChoices } from '../../timeline/layout';
import type { Timeline } from '../../timeline/timeline';
import { showToast } from '../../widgets/toast';

/** Says what was done, with a button that undoes it. */
export function withUndo(timeline: Timeline, text: string, before: Partial<LayoutChoices>): void {
  showToast({
    text,
    key: 'timeline rows',
    action: { title: 'Undo', run: () => timeline.choose(before) },
  });
}

/** Changes rows, and says so with a button that takes the change back. */
export function chooseWithUndo(
  timeline: Timeline,
  text: string,
  changes: Partial<LayoutChoices>,
): void {
  const choices = timeline.choices[0]();
  const keys = Object.keys(changes) as (keyof LayoutChoices)[];
  const before = Object.fromEntries(keys.map((key) => [key, choices[key]]));
  timeline.choose(changes);
  withUndo(timeline, text, before);
}
