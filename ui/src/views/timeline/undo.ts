/** What changes rows can be undone for a few seconds. */
import type { Timeline } from '../../timeline/timeline';
import { showToast } from '../../widgets/toast';

/** Says what was done, with a button that undoes it. */
export function withUndo(
  timeline: Timeline,
  text: string,
  before: Parameters<Timeline['choose']>[0],
): void {
  showToast({
    text,
    key: 'timeline rows',
    action: { title: 'Undo', run: () => timeline.choose(before) },
  });
}
