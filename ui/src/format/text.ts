/** Text helpers: names cut in the middle (HLO names differ at their ends), quoting, headings. */

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

/** Quotes a word for a POSIX shell if necessary. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

/** Escapes the special characters of a regular expression. */
export function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Longer messages are no headings. */
const LONGEST_HEADING = 90;

/** A long message as a heading and the rest: what is wrong, and after a colon the details. */
export function headed(message: string): { heading: string; rest: string } {
  const at = message.length > LONGEST_HEADING ? message.indexOf(': ') : -1;
  if (at < 0 || at > LONGEST_HEADING) return { heading: sentence(message), rest: '' };
  return { heading: sentence(message.slice(0, at)), rest: sentence(message.slice(at + 2)) };
}

/**
 * A message as a heading: capitalized, unless the first word is a name. A leading option of the
 * command line loses its dashes, as the page names it.
 */
export function sentence(message: string): string {
  const words = message.replace(/^--(?=[a-z]+ )/, '');
  return /^[a-z]+ /.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}
