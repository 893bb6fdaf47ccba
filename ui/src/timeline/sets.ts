/** Changed copies of sets, which signals need. */

/** The set with the member added, or removed if it was in it. */
export function toggled<T>(set: ReadonlySet<T>, member: T): Set<T> {
  const next = new Set(set);
  if (!next.delete(member)) next.add(member);
  return next;
}

/** The set without the member. */
export function without<T>(set: ReadonlySet<T>, member: T): Set<T> {
  const next = new Set(set);
  next.delete(member);
  return next;
}
