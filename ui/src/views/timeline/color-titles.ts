/** What people read for a color of the timeline. */
import { formatDuration } from '../../format/numbers';
import { classTitle } from '../../format/palette';
import { DURATION_BOUNDS, type ColorBy } from '../../timeline/coloring';

/** The title of a color by its key, as in the legend. */
export function titleOfColor(by: ColorBy, key: string): string {
  if (by === 'class') return classTitle(key);
  if (by === 'step') return `Step ${key}`;
  if (by !== 'duration') return key;
  const shortestPs = Number(key);
  if (shortestPs === 0) return `< ${formatDuration(DURATION_BOUNDS[0]!)}`;
  return `≥ ${formatDuration(shortestPs)}`;
}
