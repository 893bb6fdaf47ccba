/** Which tables a query names, with their aliases, however unfinished it is. Pure. */
import { KEYWORDS } from '../../sql/words';

/** A table of a query. */
export interface Named {
  table: string;
  alias: string | null;
}

const WORDS = new Set(KEYWORDS);

/** The query with comments, and the contents of texts, as spaces: positions stay the same. */
export function blanked(query: string): string {
  return query.replace(
    /'(?:[^']|'')*(?:'|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
    (part) => part.replace(/[^\n]/g, ' '),
  );
}

/** Whether a position is within a text or a comment. */
export function isInText(query: string, at: number): boolean {
  const before = query.slice(0, at);
  const open = /^(?:'(?:[^']|'')*'|--[^\n]*\n|\/\*[\s\S]*?\*\/|[^'/-]|-(?!-)|\/(?!\*))*/.exec(before);
  return (open?.[0].length ?? 0) < before.length;
}

const ITEM = /\s*"?([a-z_]\w*)"?(\s*\([^()]*\))?(?:\s+(?:as\s+)?"?([a-z_]\w*)"?)?/iy;

/** The tables after `from` and `join`, those of subqueries included. */
export function tablesIn(query: string): Named[] {
  const text = blanked(query);
  const found: Named[] = [];
  for (const { index, 0: word } of text.matchAll(/\b(?:from|join)\b/gi)) {
    let at = index + word.length;
    for (;;) {
      ITEM.lastIndex = at;
      const item = ITEM.exec(text);
      const table = item?.[1]?.toLowerCase() ?? '';
      if (!item || WORDS.has(table)) break;
      const alias = item[3]?.toLowerCase() ?? null;
      const isAlias = alias !== null && !WORDS.has(alias);
      found.push({ table, alias: isAlias ? alias : null });
      const rest = /^\s*,/.exec(text.slice(at + item[0].length));
      if (!rest || (alias !== null && !isAlias)) break;
      at += item[0].length + rest[0].length;
    }
  }
  return found;
}

/** The names that the query itself defines with `with`. */
export function definedIn(query: string): string[] {
  const names = blanked(query).matchAll(/(?:\bwith\b(?:\s+recursive)?|,)\s*"?([a-z_]\w*)"?\s+as\s*\(/gi);
  return [...names].map(([, name]) => name?.toLowerCase() ?? '');
}
