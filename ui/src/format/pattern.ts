/**
 * The one way in which the page reads what people type to search for: a regular expression, ignoring
 * case unless it has capitals. An invalid one is searched for as plain text, and says so. Pure.
 */
import { escapeRegex } from './text';

export interface Pattern {
  regex: RegExp;
  test: (text: string) => boolean;
  /** Why the text is not a regular expression; empty if it is one. */
  error: string;
}

/** `cases`: by default, only capitals distinguish; `ignored` for names that people do not spell. */
export function parsePattern(query: string, cases: 'as typed' | 'ignored' = 'as typed'): Pattern {
  const flags = cases === 'as typed' && /\p{Lu}/u.test(query) ? '' : 'i';
  const { regex, reason } = compile(query, flags);
  const used = regex ?? new RegExp(escapeRegex(query), flags);
  return {
    regex: used,
    test: (text) => used.test(text),
    error: reason && invalidPattern(reason),
  };
}

/** The message of all searches. */
export const invalidPattern = (reason: string): string =>
  `Invalid regular expression: ${reason}. Searched for as plain text.`;

/** What is wrong with a regular expression; empty if nothing. */
export const patternError = (query: string): string => (query ? parsePattern(query).error : '');

/** A text as a pattern for the server: if it is not a regular expression, one for the text. */
export const patternOf = (text: string): string => (patternError(text) ? escapeRegex(text) : text);

function compile(query: string, flags: string): { regex: RegExp | null; reason: string } {
  try {
    return { regex: new RegExp(query, `${flags}u`), reason: '' };
  } catch {
    // With the flag for Unicode, harmless escapes such as `\-` are errors, too.
  }
  try {
    return { regex: new RegExp(query, flags), reason: '' };
  } catch (error) {
    return { regex: null, reason: reasonOf(error) };
  }
}

/** `Invalid regular expression: /(/i: Unterminated group` says only the last part that is new. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const reason = /.*: ([^:]+)$/.exec(text)?.[1] ?? 'it cannot be parsed';
  return reason.charAt(0).toLowerCase() + reason.slice(1);
}
