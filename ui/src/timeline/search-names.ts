/** The names that a search found. Pure. */
import type { SearchName } from '../wire/generated/SearchName';

/**
 * One row per name and class, largest total first: labels of one name, such as those of ops of several
 * programs, look the same in a list.
 */
export function byName(names: readonly SearchName[]): SearchName[] {
  const found = new Map<string, SearchName>();
  for (const one of names) {
    const key = `${one.class} ${one.name}`;
    const known = found.get(key);
    const total_ps = (known?.total_ps ?? 0) + one.total_ps;
    found.set(key, { ...(known ?? one), count: (known?.count ?? 0) + one.count, total_ps });
  }
  return [...found.values()].sort((one, other) => other.total_ps - one.total_ps);
}
