/** A search whose pattern is invalid, searched for as plain text, as everywhere on the page. */
import { invalidPattern, patternError } from '../format/pattern';
import { escapeRegex } from '../format/text';
import type { SearchReport } from '../wire/generated/SearchReport';

/** The answer to a search as plain text. Throws the error of the search if that is about something else. */
export async function searchedAsText(
  query: string,
  error: unknown,
  ask: (query: string) => Promise<SearchReport>,
): Promise<SearchReport & { remark: string }> {
  const reason = /^\w+: invalid regular expression \((.*?)\): /.exec(String(error))?.[1];
  const text = plainSearch(query);
  if (reason === undefined || text === query) throw error;
  const report = await ask(text);
  // The server rejects some expressions that this browser accepts.
  return { ...report, remark: patternError(query) || invalidPattern(reason) };
}

/** A search with its texts escaped; conditions such as `dur>1ms` stay. */
export function plainSearch(query: string): string {
  const words = query.split(' ').map((word) => {
    if (/^(dur[<>]|kind:\S)/.test(word)) return word;
    const [, key = '', text = ''] = /^((?:name|scope|track):(?=\S))?(.*)$/s.exec(word) ?? [];
    return key + escapeRegex(text);
  });
  return words.join(' ');
}
