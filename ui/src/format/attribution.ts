/** How a slice was joined with its op, and where an op's category comes from, in words. */

const WAYS: Record<string, string> = {
  recorded: 'recorded',
  exact_name: 'the kernel’s name (inferred)',
  between_anchors: 'known kernels around it (inferred)',
  by_order: 'the order of the program’s ops (inferred)',
  none: 'unknown op',
};

/** The text for one way, or for several joined by commas as in reports. */
export function attributionText(ways: string): string {
  return ways
    .split(', ')
    .map((way) => WAYS[way] ?? way)
    .join(', ');
}

/** The category, marked where it was inferred from the op's name. */
export function categoryText(category: string, source: string): string {
  return category && source === 'inferred' ? `${category} (inferred)` : category;
}
