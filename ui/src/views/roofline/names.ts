/** Where the names of roofs go: next to their own line, and across no other. Pure. */
import type { Place, Size } from '../../widgets/chart/points';

/** A line with a name, from left to right. */
export interface Named {
  name: string;
  line: readonly Place[];
  /** Where its slope ends. */
  ridge: number;
}

/** Where the end of a name is. */
export interface NamePlace extends Place {
  /** Degrees by which it is turned, to go along its line. */
  angle: number;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Pixels of a character, and of a line of text above and below its base. */
const CHARACTER = 7;
const ASCENT = 11;
const DESCENT = 4;
const EDGE = 6;
/** From a slope to the base of the name above it, and below it. */
const ABOVE = 6;
const BELOW = 15;
/** Ends of names along a slope, as a share of its length. */
const SHARES = [0.8, 0.58, 0.36, 0.9, 0.7, 0.5, 0.25];

/**
 * Names of slopes, in the order of the lines. They go along their lines, above them or, where that
 * crosses a line or another name, below them; above if both do.
 */
export function slopeNames(
  lines: readonly Named[],
  others: readonly (readonly Place[])[],
  size: Size,
): NamePlace[] {
  // On logarithmic axes, all slopes have one angle. Turned by it, they and their names are level.
  const angle = angleOf(lines);
  const obstacles = [...lines.map(({ line }) => line), ...others].map((line) => line.map((at) => turned(at, -angle)));
  const taken: Box[] = [];
  const found = new Map<Named, NamePlace>();
  // From the highest line down: it has room above, and leaves the room below it to the next.
  const downwards = [...lines].sort((one, other) => yAt(one.line, 0) - yAt(other.line, 0));
  for (const one of downwards) {
    const isFree = (place: NamePlace) => {
      const box = boxOf(turned(place, -place.angle), one.name);
      return !taken.some((other) => overlap(box, other)) && !obstacles.some((line) => crosses(line, box));
    };
    const candidates = candidatesOf(one, lines.indexOf(one), angle, size);
    const place = candidates.find(isFree) ?? candidates[0] ?? besideAxis(one);
    taken.push(boxOf(turned(place, -place.angle), one.name));
    found.set(one, place);
  }
  return lines.map((one) => found.get(one)!);
}

/** None if the slope is shorter than its name. */
function candidatesOf(
  { name, line, ridge }: Named,
  position: number,
  angle: number,
  size: Size,
): NamePlace[] {
  const end = Math.min(ridge, size.width);
  const least = EDGE + name.length * CHARACTER * Math.cos((angle * Math.PI) / 180);
  // Names of several slopes begin at different heights.
  const shares = [...SHARES.slice(position % SHARES.length), ...SHARES];
  return shares.flatMap((share) => {
    const x = Math.max(end * share, least);
    const y = yAt(line, x);
    if (x > end || y > size.height) return [];
    const level = turned({ x, y }, -angle);
    return [-ABOVE, BELOW].map((by) => ({ ...turned({ x: level.x, y: level.y + by }, angle), angle }));
  });
}

/** The name of a short slope starts at the axis, and is level. */
function besideAxis({ name, line }: Named): NamePlace {
  const x = EDGE + name.length * CHARACTER;
  return { x, y: yAt(line, x) - 8, angle: 0 };
}

/** Degrees of the slopes; 0 if no line has one. */
function angleOf(lines: readonly Named[]): number {
  for (const { line, ridge } of lines) {
    const [from, to] = [line[0], line[1]];
    if (from && to && ridge > from.x && to.x > from.x) {
      return (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
    }
  }
  return 0;
}

function turned({ x, y }: Place, degrees: number): Place {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  return { x: x * cos - y * sin, y: x * sin + y * cos };
}

/**
 * Distances of the names of flat lines from the right edge, in the order of the lines: names at nearly
 * the same height are next to each other.
 */
export function flatNames(flat: readonly { name: string; y: number }[]): number[] {
  const boxes: Box[] = [];
  return flat.map(({ name, y }) => {
    const width = name.length * CHARACTER;
    const box = { left: -EDGE - width, right: -EDGE, top: y - ASCENT, bottom: y + DESCENT };
    for (let other; (other = boxes.find((one) => overlap(one, box))); ) {
      box.right = other.left - EDGE;
      box.left = box.right - width;
    }
    boxes.push(box);
    return -box.right;
  });
}

/** The height of a line at a place. */
function yAt(line: readonly Place[], x: number): number {
  const next = line.findIndex((point) => point.x >= x);
  const [from, to] = [line[next - 1], line[next]];
  if (!to) return line.at(-1)?.y ?? 0;
  if (!from) return to.y;
  return from.y + ((x - from.x) / (to.x - from.x)) * (to.y - from.y);
}

const boxOf = ({ x, y }: Place, name: string): Box => ({
  left: x - name.length * CHARACTER,
  right: x,
  top: y - ASCENT,
  bottom: y + DESCENT,
});

/** Whether a line passes through a box. */
function crosses(line: readonly Place[], { left, right, top, bottom }: Box): boolean {
  const [first, last] = [line[0], line.at(-1)];
  const [from, to] = [Math.max(left, first?.x ?? right), Math.min(right, last?.x ?? left)];
  if (from > to) return false;
  const between = line.filter(({ x }) => x > from && x < to).map(({ y }) => y);
  const heights = [yAt(line, from), ...between, yAt(line, to)];
  return Math.min(...heights) < bottom && Math.max(...heights) > top;
}

const overlap = (one: Box, other: Box) =>
  one.left < other.right &&
  other.left < one.right &&
  one.top < other.bottom &&
  other.top < one.bottom;
