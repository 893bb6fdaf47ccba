/**
 * Strings and objects that answers share, as `crates/export/src/html/shared.rs` writes them: an
 * answer contains a numbered mark instead.
 */

const MARK = '\u0001';

/** Resolves the shared values; each refers only to values before it. */
export function wholeValues(values: unknown[]): readonly unknown[] {
  for (let i = 0; i < values.length; i++) values[i] = withShared(values[i], values);
  return values;
}

/** Replaces the marks in a value with the shared values they refer to, in place. */
export function withShared(value: unknown, shared: readonly unknown[]): unknown {
  if (typeof value === 'string') {
    return value.startsWith(MARK) ? (shared[Number(value.slice(1))] ?? null) : value;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withShared(value[i], shared);
  } else if (value !== null && typeof value === 'object') {
    const fields = value as Record<string, unknown>;
    for (const key of Object.keys(fields)) fields[key] = withShared(fields[key], shared);
  }
  return value;
}
