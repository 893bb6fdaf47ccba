/** Parses a selection of steps as on the command line: `5`, `3..8`, `3..=8`, `3..`, `1,4,7..9`. */

/** A predicate on step numbers; null if the text is empty or invalid. */
export function stepSelection(text: string): ((step: number) => boolean) | null {
  const ranges: [from: number, to: number][] = [];
  for (const part of text.split(',')) {
    const match = /^\s*(\d+)?(\.\.(=)?(\d+)?)?\s*$/.exec(part);
    const [, from, dots, inclusive, to] = match ?? [];
    if (from === undefined && to === undefined) continue;
    const first = Number(from ?? 0);
    if (!dots) ranges.push([first, first]);
    else if (to === undefined) ranges.push([first, Infinity]);
    else ranges.push([first, inclusive ? Number(to) : Number(to) - 1]);
  }
  if (ranges.length === 0) return null;
  return (step) => ranges.some(([from, to]) => step >= from && step <= to);
}
