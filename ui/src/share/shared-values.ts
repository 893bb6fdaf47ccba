/**
 * Strings and objects that answers have in common, as `crates/export/src/html/shared.rs` writes them:
 * in an answer stands a mark with a number instead.
 */

const MARK = '\u0001';

/** The shared values, whole: one names only values before it. */
export function wholeValues(values: unknown[]): readonly unknown[] {
  for (let i = 0; i < values.length; i++) values[i] = withShared(values[i], values);
  return values;
}

/** The value with what its marks name, in place. */
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
