/**
 * Names for the rows of a report in links: by position, a link would show another row as soon as the
 * selection changes. A name is what people read, and a hash of the row's path: paths of stacks and of
 * C++ templates fill thousands of characters. Pure.
 */

export interface LinkKeys {
  /** The name of the row at a position; null for no row. */
  at: (index: number) => string | null;
  /** The position of the row with this name; -1 if there is none. */
  indexOf: (key: string | undefined) => number;
}

const LONGEST_WORD = 40;

/** Rows of a tree are named by their path from the root: `depths` has their levels, 0 for roots. */
export function linkKeys(names: readonly string[], depths?: readonly number[]): LinkKeys {
  const path: string[] = [];
  const seen = new Map<string, number>();
  const keys = names.map((name, index) => {
    const depth = depths?.[index] ?? 0;
    path.length = depth + 1;
    path[depth] = hashOf(`${path[depth - 1] ?? ''}/${name}`);
    const key = `${wordOf(name)}~${path[depth]}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    // Rows that nothing tells apart are counted.
    return count > 1 ? `${key}~${count}` : key;
  });
  const positions = new Map(keys.map((key, index) => [key, index]));
  return {
    at: (index) => keys[index] ?? null,
    indexOf: (key) => (key === undefined ? -1 : (positions.get(key) ?? -1)),
  };
}

/** The start of a name, of characters that addresses hold as they are. */
function wordOf(name: string): string {
  return name.replace(/[^\w.]+/g, '-').replace(/^-|-$/g, '').slice(0, LONGEST_WORD);
}

/** FNV-1a of 32 bits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
