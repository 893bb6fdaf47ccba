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
  const parts = withoutShared(titles.map((title) => title.split('/')));
  const short = parts.map(cut);
  const alike = new Map<string, number[]>();
  short.forEach((title, at) => alike.set(title, [...(alike.get(title) ?? []), at]));
  // Those that the cut made alike begin where they differ.
  for (const group of alike.values()) {
    if (group.length < 2) continue;
    const rest = withoutShared(group.map((at) => parts[at]!));
    group.forEach((at, index) => (short[at] = `…/${cut(rest[index]!)}`));
  }
  return short;
}

const cut = (parts: readonly string[]): string => truncateMiddle(parts.join('/'), SHORT);

/** Texts without the first parts, if all have them; each keeps one. */
function withoutShared(texts: readonly string[][]): string[][] {
  const most = texts.length > 1 ? Math.min(...texts.map((each) => each.length)) - 1 : 0;
  let shared = 0;
  while (shared < most && texts.every((each) => each[shared] === texts[0]![shared])) shared++;
  return texts.map((each) => each.slice(shared));
}
