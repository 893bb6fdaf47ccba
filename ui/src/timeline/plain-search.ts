/** A search whose pattern is invalid, searched for as plain text, as everywhere on the page. */
import { invalidPattern, patternError } from '../format/pattern';
import { escapeRegex } from '../format/text';
import type { SearchReport } from '../wire/generated/SearchReport';
import { mapTexts } from './search-conditions';

/**
 * The answer to a search as plain text. Throws the error of the search if that is about something else;
 * null if this browser already rejects the pattern.
 */
export async function searchedAsText(
  query: string,
  error: unknown,
  ask: (query: string) => Promise<SearchReport>,
): Promise<SearchReport> {
  const reason = /^\w+: invalid regular expression \((.*?)\): /.exec(String(error))?.[1];
  const text = plainSearch(query);
  if (error === null && text === query) return ask(query);
  if (error !== null && (reason === undefined || text === query)) throw error;
  const report = await ask(text);
  // The server rejects some expressions that this browser accepts.
  return { ...report, remark: patternError(query) || invalidPattern(reason ?? '') };
}

/** A search with its texts escaped; conditions such as `dur>1ms` stay. */
export function plainSearch(query: string): string {
  return mapTexts(query, escapeRegex);
}
