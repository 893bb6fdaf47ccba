/** The steps that a selection as on the command line means: `5`, `3..8`, `3..=8`, `3..`, `1,4,7..9`. */

/** A test for step numbers; null when nothing, or nothing readable, is selected. */
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
