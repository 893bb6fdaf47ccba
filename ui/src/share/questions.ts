/** Turns a request into the question under which a report stores the answer. */

/** An analysis and its options, with their defaults. */
export interface Declared {
  name: string;
  options: { name: string; default: string | null }[];
}

/**
 * The question of a request: `ops`, or `ops?by=category`. Row limits and options at their defaults
 * are left out.
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
