/** A hint in pieces: sentences, code, options of the command line, and views of the page. Pure. */
export interface HintPiece {
  kind: 'text' | 'code' | 'option' | 'view';
  text: string;
}

/** What comes before a hint that starts with an option. */
const ON_THE_COMMAND_LINE = 'On the command line ';

/**
 * The pieces of a hint, in which code, commands and options stand in backquotes. A command that
 * opens a view is that view; `isView` knows the views of the page by the names of their analyses.
 */
export function hintPieces(hint: string, isView: (name: string) => boolean): HintPiece[] {
  const pieces = hint
    .split('`')
    .map((text, index) => (index % 2 === 1 ? quoted(text, isView) : { kind: 'text' as const, text }))
    .filter((piece) => piece.text !== '');
  const [first] = pieces;
  if (first?.kind === 'option') return [{ kind: 'text', text: ON_THE_COMMAND_LINE }, ...pieces];
  if (first?.kind === 'view' && pieces.length === 1) {
    return [{ kind: 'text', text: 'See ' }, first];
  }
  return pieces;
}

/** The code of a hint, for where the sentence around it is not shown; none without any. */
export function codeOf(hint: string): string | undefined {
  return hint.split('`')[1];
}

/** Code that someone would type: a statement or a call, not only a name. */
export const isStatement = (code: string) => /[=( ]/.test(code);

/** What stands in backquotes. */
function quoted(code: string, isView: (name: string) => boolean): HintPiece {
  if (code.startsWith('--')) return { kind: 'option', text: code };
  const [program, command = '', path = 'PATH', ...more] = code.split(' ');
  const opensView = program === 'stepscope' && path === 'PATH' && more.length === 0;
  return opensView && isView(command)
    ? { kind: 'view', text: command }
    : { kind: 'code', text: code };
}
