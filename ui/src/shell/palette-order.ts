/** Finds the commands of the palette that match the typed text, best matches first. Pure. */
export interface Named {
  title: string;
  detail: string;
  group: string;
}

/** The commands that contain every word; matches in the title come before other matches. */
export function ranked<Command extends Named>(
  commands: readonly Command[],
  query: string,
): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return commands
    .map((command) => ({ command, rank: rankOf(command, words) }))
    .filter(({ rank }) => Number.isFinite(rank))
    .sort((one, other) => one.rank - other.rank)
    .map(({ command }) => command);
}

/**
 * The rank of the worst word: 0 at the start of the title, 1 at the start of another word in it, 2 inside
 * a word, 3 in the group or detail, infinite if missing.
 */
function rankOf(command: Named, words: readonly string[]): number {
  const title = command.title.toLowerCase();
  const rest = `${command.group} ${command.detail}`.toLowerCase();
  const ranks = words.map((word) => {
    if (title.startsWith(word)) return 0;
    const at = title.indexOf(word);
    if (at > 0) return /\w/.test(title[at - 1] ?? '') ? 2 : 1;
    return rest.includes(word) ? 3 : Infinity;
  });
  return Math.max(0, ...ranks);
}
