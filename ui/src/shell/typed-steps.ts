/** Steps as typed into the command palette. Pure. */
/** What to select, and what that is in words; null for a text that is no list of steps. */
export function typedSteps(text: string): { value: string; title: string } | null {
  if (!/\d/.test(text)) return null;
  const parts = text.split(',').map((part) => /^\s*(\d+)?\s*(?:(\.\.=?)\s*(\d+)?)?\s*$/.exec(part));
  const titles: string[] = [];
  let isOne = true;
  for (const part of parts) {
    if (!part) return null;
    const [, from, dots, to] = part;
    if (from === undefined && to === undefined) return null;
    const range = rangeOf(from, dots, to);
    if (range === null) return null;
    isOne &&= /^\d+$/.test(range);
    titles.push(range);
  }
  const noun = isOne && titles.length === 1 ? 'step' : 'steps';
  return { value: text.replaceAll(/\s/g, ''), title: `${noun} ${titles.join(', ')}` };
}

/** A range with the steps that it has: the end of `1..3` is not one of them. */
function rangeOf(from?: string, dots?: string, to?: string): string | null {
  if (!dots) return from ?? null;
  if (to === undefined) return dots === '..' ? `from ${from} on` : null;
  const last = Number(to) - (dots === '..' ? 1 : 0);
  if (from === undefined) return last < 0 ? null : `up to ${last}`;
  if (last < Number(from)) return null;
  return last === Number(from) ? from : `${from}–${last}`;
}
