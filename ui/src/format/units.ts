/** Sentences of reports on a page that breaks lines. Pure. */

/** Keeps numbers and their units on one line: `46.12 ms`, `96.9 %`. */
export function withUnits(sentence: string): string {
  return sentence.replace(/(\d) (?=(%|[pnµm]?s\b|[KMGT]?i?B\b))/g, '$1\u00a0');
}
