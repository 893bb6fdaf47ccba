/** A line drawn by hand around points: fewer corners for it, and what it encloses. Pure. */
import type { Place } from './points';

/**
 * The corners that keep a line within `tolerance` of its places (Ramer, Douglas and Peucker); the ends
 * stay.
 */
export function simplified(path: readonly Place[], tolerance: number): Place[] {
  const [first, last] = [path[0], path.at(-1)];
  if (!first || !last || path.length < 3) return [...path];
  let farthest = 0;
  let most = 0;
  path.forEach((place, index) => {
    const distance = distanceToLine(place, first, last);
    if (distance <= most) return;
    most = distance;
    farthest = index;
  });
  if (most <= tolerance) return [first, last];
  const before = simplified(path.slice(0, farthest + 1), tolerance);
  return [...before.slice(0, -1), ...simplified(path.slice(farthest), tolerance)];
}

/** The distance to the line between two places, or to the first if both are one. */
function distanceToLine(at: Place, one: Place, other: Place): number {
  const [x, y] = [other.x - one.x, other.y - one.y];
  const length = Math.hypot(x, y);
  if (length === 0) return Math.hypot(at.x - one.x, at.y - one.y);
  return Math.abs(x * (at.y - one.y) - y * (at.x - one.x)) / length;
}

/** Whether a closed line goes around a place; where it crosses itself, both loops are inside. */
export function encloses(line: readonly Place[], at: Place): boolean {
  let turns = 0;
  line.forEach((from, index) => {
    const to = line[(index + 1) % line.length]!;
    const side = (to.x - from.x) * (at.y - from.y) - (at.x - from.x) * (to.y - from.y);
    if (from.y <= at.y && to.y > at.y && side > 0) turns++;
    if (from.y > at.y && to.y <= at.y && side < 0) turns--;
  });
  return turns !== 0;
}
