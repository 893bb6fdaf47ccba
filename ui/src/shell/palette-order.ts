/** Which commands of the palette match what was typed, the likeliest first. Pure. */
export interface Named {
  title: string;
  detail: string;
  group: string;
}

/** The commands that have every word somewhere, those called so before those that mention it. */
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

/** From 0, where the title begins with the words, up; infinite where one is missing. */
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
