/** The words of SQL that the editor highlights and completes. Pure. */

/** In the order in which a query uses them. */
export const KEYWORDS: readonly string[] = [
  ...['with', 'select', 'distinct', 'from', 'join', 'left', 'right', 'full', 'inner', 'cross'],
  ...['on', 'using', 'where', 'group', 'by', 'having', 'order', 'asc', 'desc', 'nulls', 'first'],
  ...['last', 'limit', 'offset', 'union', 'all', 'intersect', 'except', 'as', 'and', 'or', 'not'],
  ...['in', 'between', 'like', 'ilike', 'is', 'null', 'true', 'false', 'exists', 'any', 'case'],
  ...['when', 'then', 'else', 'end', 'cast', 'over', 'partition', 'rows', 'range', 'preceding'],
  ...['following', 'unbounded', 'current', 'row', 'filter', 'qualify', 'values', 'explain'],
  ...['analyze', 'show', 'describe', 'lateral', 'natural', 'outer', 'interval', 'recursive'],
];

export const TYPES: readonly string[] = [
  ...['bigint', 'boolean', 'date', 'double', 'float', 'int', 'integer', 'text', 'timestamp'],
  ...['varchar'],
];

/** Functions of the engine that are used most; all others work too. */
export const ENGINE_FUNCTIONS: readonly (readonly [signature: string, meaning: string])[] = [
  ['count(*)', 'Number of rows'],
  ['sum(value)', 'Sum'],
  ['avg(value)', 'Mean'],
  ['min(value)', 'Minimum'],
  ['max(value)', 'Maximum'],
  ['median(value)', 'Median'],
  ['approx_percentile_cont(value, share)', 'A percentile; 0.95 is p95'],
  ['stddev(value)', 'Standard deviation'],
  ['array_agg(value)', 'All values as a list'],
  ['string_agg(text, separator)', 'All texts joined'],
  ['first_value(value)', 'First value of a window or group'],
  ['last_value(value)', 'Last value of a window or group'],
  ['row_number()', 'Position within a window'],
  ['rank()', 'Rank within a window'],
  ['lag(value)', 'Value of the previous row of a window'],
  ['lead(value)', 'Value of the next row of a window'],
  ['coalesce(value, other)', 'The first value that is not null'],
  ['nullif(value, other)', 'Null if both are equal'],
  ['greatest(value, other)', 'The largest of several values'],
  ['least(value, other)', 'The smallest of several values'],
  ['round(value, decimals)', 'Rounded'],
  ['floor(value)', 'Rounded down'],
  ['abs(value)', 'Absolute value'],
  ['lower(text)', 'Lower case'],
  ['length(text)', 'Number of characters'],
  ['substr(text, start, length)', 'Part of a text; the first character is 1'],
  ['split_part(text, separator, position)', 'One part of a text; the first is 1'],
  ['starts_with(text, start)', 'Whether a text starts with another'],
  ['regexp_like(text, pattern)', 'Whether a regular expression matches'],
  ['regexp_replace(text, pattern, replacement)', 'Replaces what a regular expression matches'],
];

/** Words that must be quoted where they are the name of a column or table. */
const RESERVED: ReadonlySet<string> = new Set(
  KEYWORDS.filter((word) => !['first', 'last', 'row', 'rows', 'range', 'filter', 'values'].includes(word)),
);

/** A name as it is written in a query: quoted where it is a keyword or not a plain word. */
export function nameText(name: string): string {
  const isPlain = /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name);
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`;
}

/** A text as a literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
