/** The tab that a key moves to; arrow keys wrap around. Pure. */

/** The position of the tab; null for keys that do not move, such as those with Shift, which are the page's. */
export function tabByKey(
  count: number,
  at: number,
  key: string,
  isModified = false,
): number | null {
  if (count === 0 || isModified) return null;
  switch (key) {
    case 'ArrowRight':
      return (at + 1) % count;
    case 'ArrowLeft':
      return (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
