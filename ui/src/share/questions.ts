/** What a request asks an analysis, in the words under which a report keeps the answer. */

/** Options of analyses by name, with what holds when they are not given. */
export interface Declared {
  name: string;
  options: { name: string; default: string | null }[];
}

/**
 * The question of a request: `ops`, or `ops?by=category`. Limits of rows are no part of it, and
 * neither is what would hold anyway.
 */
export function questionOf(
  analysis: string,
  query: string,
  declared: readonly Declared[],
  rowLimits: readonly string[],
): string {
  const options = declared.find((each) => each.name === analysis)?.options ?? [];
  const isDefault = (name: string, value: string) =>
    options.some((option) => option.name === name && option.default === value);
  const own = [...new URLSearchParams(query)]
    .filter(([name, value]) => !rowLimits.includes(name) && !isDefault(name, value))
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  return own.length > 0 ? `${analysis}?${own.join('&')}` : analysis;
}
