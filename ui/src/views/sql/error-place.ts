/** Where in a query an error is, if its message says so. Pure. */

export interface ErrorPlace {
  from: number;
  to: number;
}

/** The place, in characters; null if the message names none. */
export function placeOfError(message: string, query: string): ErrorPlace | null {
  const [, line, column] = /Line: (\d+), Column: (\d+)/.exec(message) ?? [];
  if (line !== undefined && column !== undefined) {
    const lines = query.split('\n');
    const before = lines.slice(0, Number(line) - 1).reduce((sum, each) => sum + each.length + 1, 0);
    const from = Math.min(query.length, before + Number(column) - 1);
    const word = /^\s*(\w+|\S)/.exec(query.slice(from))?.[0].length ?? 0;
    return word > 0 ? { from, to: from + word } : atEnd(query);
  }
  if (/found: EOF/.test(message)) return atEnd(query);
  const named =
    /No field named "?([\w.]+?)"?\.(?:\s|$)/.exec(message)?.[1] ??
    /table '?"?([\w.]+?)"?'? not found/i.exec(message)?.[1] ??
    /Invalid function '(\w+)'/.exec(message)?.[1];
  return named === undefined ? null : wordIn(query, named.split('.').at(-1) ?? named);
}

/** The last word, after which something is missing. */
function atEnd(query: string): ErrorPlace | null {
  const text = query.trimEnd();
  const word = /\w+$|\S$/.exec(text)?.[0].length ?? 0;
  return word > 0 ? { from: text.length - word, to: text.length } : null;
}

function wordIn(query: string, word: string): ErrorPlace | null {
  const from = query.search(new RegExp(`\\b${word}\\b`, 'i'));
  return from < 0 ? null : { from, to: from + word.length };
}
