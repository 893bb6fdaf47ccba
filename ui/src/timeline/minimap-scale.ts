/**
 * Where times are on the minimap. If the steps cover little of the session, they take most of it, and
 * the rest is compressed at its ends; otherwise one scale covers the whole session. Pure.
 */
import type { TimeWindow } from './viewport';

/** If the steps cover less of the session than this, their time is drawn larger. */
const SLIVER = 0.25;
/** What each end takes of the minimap then. */
const END = 0.08;

export interface MinimapScale {
  /** What is drawn larger; null if nothing. */
  home: TimeWindow | null;
  /** Times and the shares of the minimap where they are; between them, both are proportional. */
  corners: readonly Corner[];
}

type Corner = readonly [timePs: number, share: number];

/** The scale of a session whose first window is `home`. */
export function minimapScale(session: TimeWindow, home: TimeWindow): MinimapScale {
  const startPs = Math.max(session.startPs, home.startPs);
  const endPs = Math.min(session.endPs, home.endPs);
  const share = (endPs - startPs) / Math.max(1, session.endPs - session.startPs);
  const first: Corner = [session.startPs, 0];
  const last: Corner = [Math.max(session.endPs, session.startPs + 1), 1];
  if (share <= 0 || share >= SLIVER) return { home: null, corners: [first, last] };
  const before: Corner[] = startPs > session.startPs ? [first, [startPs, END]] : [first];
  const after: Corner[] = endPs < session.endPs ? [[endPs, 1 - END], last] : [last];
  return { home: { startPs, endPs }, corners: [...before, ...after] };
}

/** Where the scale changes, as shares of the minimap. */
export const breaksOf = ({ corners }: MinimapScale): number[] =>
  corners.slice(1, -1).map(([, share]) => share);

/** The share of the minimap that is left of a time. */
export const shareOf = (scale: MinimapScale, timePs: number): number =>
  between(scale.corners, timePs, 0, 1);

/** The time at a share of the minimap. */
export const timeAt = (scale: MinimapScale, share: number): number =>
  between(scale.corners, share, 1, 0);

function between(
  points: readonly Corner[],
  at: number,
  from: 0 | 1,
  to: 0 | 1,
): number {
  let index = points.length - 2;
  while (index > 0 && (points[index]?.[from] ?? 0) > at) index--;
  const [one, other] = [points[index]!, points[index + 1]!];
  return one[to] + ((at - one[from]) / (other[from] - one[from])) * (other[to] - one[to]);
}
