/** Finds the commands of the palette that match the typed text, best matches first. Pure. */
export interface Named {
  title: string;
  detail: string;
  group: string;
  /** Other names that find it, such as those of other programs. */
  aliases?: readonly string[] | undefined;
}

/** The commands that contain every word; matches in the title come before other matches. */
export function ranked<Command extends Named>(
  commands: readonly Command[],
  query: string,
): Command[] {
  const words = wordsOf(query);
  return commands
    .map((command) => ({ command, rank: rankOf(command, words) }))
    .filter(({ rank }) => Number.isFinite(rank))
    .sort((one, other) => one.rank - other.rank)
    .map(({ command }) => command);
}

/** The alias that the query matches; undefined if it matches the title. */
export function aliasFound(command: Named, query: string): string | undefined {
  const text = wordsOf(query).join(' ');
  if (text === '' || command.title.toLowerCase().includes(text)) return undefined;
  return command.aliases?.find((alias) => alias.toLowerCase().includes(text));
}

/** What is typed, in lower case; XProf writes `trace_viewer@` for a trace that is streamed. */
const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/@$/, ''))
    .filter(Boolean);

/**
 * The rank of the worst word: 0 at the start of the title, 1 at the start of another word in it or of
 * an alias, 2 inside a word or an alias, 3 in the group or detail, infinite if missing.
 */
function rankOf(command: Named, words: readonly string[]): number {
  const title = command.title.toLowerCase();
  const aliases = (command.aliases ?? []).map((alias) => alias.toLowerCase());
  const rest = `${command.group} ${command.detail}`.toLowerCase();
  const ranks = words.map((word) => {
    if (title.startsWith(word)) return 0;
    const at = title.indexOf(word);
    const isWordStart = at > 0 && !/\w/.test(title[at - 1] ?? '');
    if (isWordStart || aliases.some((alias) => alias.startsWith(word))) return 1;
    if (at > 0 || aliases.some((alias) => alias.includes(word))) return 2;
    return rest.includes(word) ? 3 : Infinity;
  });
  return Math.max(0, ...ranks);
}
