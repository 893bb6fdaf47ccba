/** The point at a place, the point that a key moves to, and the place of the readout. Pure. */

/** A place in the plot, in pixels from its upper left corner. */
export interface Place {
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

/** The point whose value is nearest; values must be ascending. Null without points. */
export function nearestIndex(values: readonly number[], wanted: number): number | null {
  if (values.length === 0) return null;
  const before = Math.max(0, holdingIndex(values, wanted));
  const after = Math.min(values.length - 1, before + 1);
  const isAfter =
    Math.abs((values[after] ?? 0) - wanted) < Math.abs((values[before] ?? 0) - wanted);
  return isAfter ? after : before;
}

/** The point in effect at a value: the last one not after it, −1 before the first. */
export function holdingIndex(values: readonly number[], wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The slot at a horizontal position; null outside all slots. */
export function slotIndex(count: number, x: number, width: number): number | null {
  return x >= 0 && x < width && count > 0 ? Math.floor((x / width) * count) : null;
}

/** The nearest point within `reach` pixels. */
export function closest(places: readonly Place[], at: Place, reach: number): number | null {
  let found: number | null = null;
  let least = reach * reach;
  places.forEach(({ x, y }, index) => {
    const distance = (x - at.x) ** 2 + (y - at.y) ** 2;
    if (distance > least) return;
    least = distance;
    found = index;
  });
  return found;
}

/**
 * The point that a key moves to. Points are numbered row by row; `rows` has the number in each row.
 * Left and right stay in the row, up and down keep the position. Null for other keys.
 */
export function moveByKey(rows: readonly number[], at: number | null, key: string): number | null {
  const total = rows.reduce((sum, count) => sum + count, 0);
  const isMove = /^(Arrow(Left|Right|Up|Down)|Home|End|Page(Up|Down))$/.test(key);
  if (!isMove || total === 0) return null;
  // The first key press only shows the starting point.
  if (at === null) return key === 'End' ? total - 1 : 0;
  let row = 0;
  let first = 0;
  while (row < rows.length - 1 && at >= first + (rows[row] ?? 0)) first += rows[row++] ?? 0;
  const count = rows[row] ?? 0;
  const position = at - first;
  const along = (by: number) => first + Math.max(0, Math.min(count - 1, position + by));
  // Ten page moves cross a row, however many points it has.
  const page = Math.max(1, Math.ceil(count / 10));
  switch (key) {
    case 'ArrowLeft':
      return along(-1);
    case 'ArrowRight':
      return along(1);
    case 'PageUp':
      return along(-page);
    case 'PageDown':
      return along(page);
    case 'Home':
      return along(-count);
    case 'End':
      return along(count);
    default:
      return acrossRows(rows, row, first, position, key === 'ArrowDown' ? 1 : -1) ?? at;
  }
}

/** The same position in the next row that has points; with a single row, the next point. */
function acrossRows(
  rows: readonly number[],
  row: number,
  first: number,
  position: number,
  by: 1 | -1,
): number | null {
  // With a single row, Up increases the position, as on a slider.
  if (rows.length === 1) {
    return Math.max(0, Math.min((rows[0] ?? 1) - 1, position - by));
  }
  let start = first;
  for (let next = row + by; next >= 0 && next < rows.length; next += by) {
    start += by === 1 ? (rows[next - 1] ?? 0) : -(rows[next] ?? 0);
    const count = rows[next] ?? 0;
    if (count > 0) return start + Math.min(position, count - 1);
  }
  return null;
}

/** Places a box next to a point, on the side that has room, and inside the outer box if it fits. */
export function readoutPlace(point: Place, box: Size, outer: Size): Place {
  const gap = 12;
  const right = point.x + gap;
  const left = point.x - gap - box.width;
  const x = right + box.width <= outer.width || left < 0 ? right : left;
  const y = Math.min(point.y - box.height / 2, outer.height - box.height);
  return { x: Math.max(0, Math.min(x, outer.width - box.width)), y: Math.max(0, y) };
}
