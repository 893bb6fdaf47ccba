/**
 * Commands that only the command palette offers, too many to have keys: those on each track, for one.
 * They are asked for when the palette opens and listed once something is typed.
 */
import type { Command } from './palette-commands';

/** Its code can be fetched when it is first asked. */
export type CommandSource = () => Promise<readonly Command[]>;

const sources = new Set<CommandSource>();

/** Adds commands; returns a function that removes them. */
export function registerCommands(source: CommandSource): () => void {
  sources.add(source);
  return () => void sources.delete(source);
}

/** All commands of all sources; a source that fails has none. */
export async function sourcedCommands(): Promise<Command[]> {
  const lists = await Promise.all([...sources].map((source) => source().catch(() => [])));
  return lists.flat();
}
