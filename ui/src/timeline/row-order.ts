/**
 * The reader's order of groups and tracks, kept as the difference from the usual one: the items that it
 * names take each other's places, all others stay. Pure.
 */

/** Items in the reader's order. */
export function arranged<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  order: readonly Key[],
): readonly Item[] {
  if (order.length === 0) return items;
  const byKey = new Map(items.map((item) => [keyOf(item), item]));
  const moved = order.filter((key) => byKey.has(key));
  if (moved.length === 0) return items;
  const isMoved = new Set(moved);
  let next = 0;
  return items.map((item) => (isMoved.has(keyOf(item)) ? byKey.get(moved[next++]!)! : item));
}

/** The shortest order that leads from the usual order of some items to another one. */
export function orderBetween<Key>(usual: readonly Key[], wanted: readonly Key[]): Key[] {
  let first = 0;
  let last = usual.length;
  while (first < last && usual[first] === wanted[first]) first++;
  while (last > first && usual[last - 1] === wanted[last - 1]) last--;
  return wanted.slice(first, last);
}

/** The keys with some of them moved directly before another one; to the end without one. */
export function movedBefore<Key>(
  keys: readonly Key[],
  moved: readonly Key[],
  anchor: Key | undefined,
): Key[] {
  if (anchor !== undefined && moved.includes(anchor)) return [...keys];
  const rest = keys.filter((key) => !moved.includes(key));
  const at = anchor === undefined ? rest.length : rest.indexOf(anchor);
  const inOrder = keys.filter((key) => moved.includes(key));
  return [...rest.slice(0, at), ...inOrder, ...rest.slice(at)];
}

/** How many of some rows, one below the other, have their middle above a height. */
export function slotAt(rows: readonly { y: number; height: number }[], y: number): number {
  return rows.filter((row) => row.y + row.height / 2 < y).length;
}
