/** Choices kept in this browser. A frame may have no storage; a choice then lasts as long as the page. */

/** The value kept under the key, or null. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a value, or forgets it. */
export function store(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Nothing is kept without a storage.
  }
}
