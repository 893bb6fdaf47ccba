/** Splits a hint into sentences, code, options of the command line, and views of the page. Pure. */
export interface HintPiece {
  kind: 'text' | 'code' | 'option' | 'view';
  text: string;
}

/** Precedes a hint that starts with an option. */
const ON_THE_COMMAND_LINE = 'On the command line, ';

/**
 * The pieces of a hint, in which code, commands and options are in backquotes. A command that opens a
 * view becomes that view; `isView` says whether an analysis with this name has one.
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

/** The first code in a hint, for places that do not show the sentence; undefined if it has none. */
export function codeOf(hint: string): string | undefined {
  return hint.split('`')[1];
}

/** Code that someone would type: a statement or a call, not only a name. */
export const isStatement = (code: string) => /[=( ]/.test(code);

/** The piece for a text in backquotes. */
function quoted(code: string, isView: (name: string) => boolean): HintPiece {
  if (code.startsWith('--')) return { kind: 'option', text: code };
  const [program, command = '', path = 'PATH', ...more] = code.split(' ');
  const opensView = program === 'stepscope' && path === 'PATH' && more.length === 0;
  return opensView && isView(command)
    ? { kind: 'view', text: command }
    : { kind: 'code', text: code };
}
