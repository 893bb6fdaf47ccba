/**
 * The conditions of a search, such as `dur>1ms` and `scope:attn`, which only the server evaluates. Words
 * are separated by spaces; spaces may also surround what compares. Pure.
 */
import { parsePattern } from '../format/pattern';

/** What comes before a condition, the condition up to its pattern, and the pattern if it has one. */
const CONDITIONS =
  /(^| )(dur(?:ation)? *[<>]=? *(?:[^ ]*\d +[mnuµp]?s(?= |$)|[^ ]*)|(?:kind|class): *[^ ]*|(?:name|scope|track): *)([^ ]*)/g;

/** A search with its texts replaced; conditions stay, except for their patterns. */
export function mapTexts(query: string, replace: (text: string) => string): string {
  let mapped = '';
  let at = 0;
  for (const match of query.matchAll(CONDITIONS)) {
    const [whole, before, condition, pattern = ''] = match;
    mapped += `${replace(query.slice(at, match.index))}${before}${condition}${replace(pattern)}`;
    at = match.index + whole.length;
  }
  return mapped + replace(query.slice(at));
}

/** The pattern for names of a search: a regular expression, case-insensitive unless it has capitals. */
export function searchPattern(query: string): RegExp | null {
  const text = query.replace(CONDITIONS, '').trim();
  return text ? parsePattern(text).regex : null;
}
