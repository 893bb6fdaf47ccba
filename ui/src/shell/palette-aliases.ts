/** Other words for commands: those of other programs, and those that people try. Pure. */
import type { Named } from './palette-order';

const ALIASES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(Light|Dark|System) colors$/, ['theme', 'mode', 'appearance']],
  [/^Save as a single HTML file/, ['report', 'share', 'export', 'download']],
  [/^Copy the link$/, ['share', 'permalink', 'url']],
  [/^Print$/, ['pdf', 'paper']],
  [/rrangement/, ['workspace', 'layout', 'save', 'apply']],
  [/^Times time of day$/, ['wall clock', 'time axis']],
  [/^Times since the start$/, ['session clock', 'time axis']],
  [/^Times within the step$/, ['step clock', 'relative time', 'time axis']],
  [/^Mark the selection/, ['note', 'comment', 'annotate', 'bookmark', 'flag']],
  [/^Close (all groups|.*)$/, ['collapse', 'fold']],
  [/^Open all groups$/, ['expand', 'unfold']],
  [/^Compact rows/, ['dense', 'row height']],
  [/^Show or hide the details$/, ['drawer', 'panel', 'dock']],
  [/^Details /, ['dock', 'drawer', 'panel']],
  [/^Lay .* over step/, ['ghost', 'overlay', 'compare steps']],
  [/^Only the /, ['isolate', 'highlight', 'dim others']],
  [/^Show the whole session$/, ['fit', 'reset zoom', 'zoom out']],
  [/^Show hidden tracks$/, ['unhide']],
  [/^Usual order of all rows$/, ['reset order']],
  [/^Columns of the /, ['hide columns', 'choose columns', 'move columns']],
];

/** The command, found by its other names as well. */
export function withAliases<Command extends Named>(command: Command): Command {
  const more = ALIASES.flatMap(([title, words]) => (title.test(command.title) ? words : []));
  return more.length > 0 ? { ...command, aliases: [...(command.aliases ?? []), ...more] } : command;
}
