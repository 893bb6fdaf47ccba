/** What people read for a color of the timeline. */
import { formatDuration } from '../../format/numbers';
import { classTitle } from '../../format/palette';
import { truncateMiddle } from '../../format/text';
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

/** Letters of a title in the line of colors. */
const SHORT = 26;

/** Scopes begin alike, so what they share is left out and the rest is cut in the middle. */
export function shortTitles(titles: readonly string[]): string[] {
  const parts = titles.map((title) => title.split('/'));
  const most = Math.min(...parts.map((each) => each.length)) - 1;
  let shared = 0;
  while (titles.length > 1 && shared < most && parts.every((each) => each[shared] === parts[0]?.[shared])) {
    shared++;
  }
  return parts.map((each) => truncateMiddle(each.slice(shared).join('/'), SHORT));
}
