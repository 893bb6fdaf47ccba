/** Long names cut in the middle: HLO names differ at their ends. */

/** Characters kept at the end of a name cut in the middle. */
export const TAIL_LENGTH = 14;

/** At most `limit` characters, the middle replaced by an ellipsis. */
export function truncateMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit <= 1) return limit === 1 ? '…' : '';
  const tail = Math.min(TAIL_LENGTH, Math.floor((limit - 1) * 0.4));
  const head = limit - 1 - tail;
  return `${text.slice(0, head)}…${tail > 0 ? text.slice(-tail) : ''}`;
}

/** A name in two pieces, so that a stylesheet can cut the first and keep the second. */
export function splitForMiddle(text: string): [head: string, tail: string] {
  if (text.length <= TAIL_LENGTH * 2) return [text, ''];
  return [text.slice(0, -TAIL_LENGTH), text.slice(-TAIL_LENGTH)];
}

/** Quotes a word for a POSIX shell when it needs it. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

/** The text with everything a regular expression reads as its own escaped. */
export function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * A message as a heading: it begins with a capital, unless its first word is a name; an option of
 * the command line is what the page calls it.
 */
export function sentence(message: string): string {
  const words = message.replace(/^--(?=[a-z]+ )/, '');
  return /^[a-z]+ /.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}
