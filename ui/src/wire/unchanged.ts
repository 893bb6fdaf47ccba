/** What did not change from one answer to the next keeps its identity, and what shows it stays. Pure. */

/** The new value, with every part that equals the same part of the old one replaced by it. */
export function withUnchanged<T>(before: unknown, now: T): T {
  if (before === now || !isPart(before) || !isPart(now)) return now;
  if (Array.isArray(before) !== Array.isArray(now)) return now;
  const keys = Object.keys(now);
  const old = before as Record<string, unknown>;
  const own = now as Record<string, unknown>;
  let isSame = keys.length === Object.keys(old).length;
  for (const key of keys) {
    const part = withUnchanged(old[key], own[key]);
    if (part !== own[key]) own[key] = part;
    isSame &&= part === old[key] && key in old;
  }
  return isSame ? (before as T) : now;
}

const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null;
