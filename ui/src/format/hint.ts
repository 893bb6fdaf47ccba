/** A hint in pieces: sentences, code, options of the command line, and views of the page. Pure. */
export interface HintPiece {
  kind: 'text' | 'code' | 'option' | 'view';
  text: string;
}

/** What the rest of a hint of the command line is called by. */
const ON_THE_COMMAND_LINE = 'On the command line ';

/**
 * The pieces of a hint. What stands in backquotes is code, and so is an environment variable that
 * is set; `isView` knows the views of the page by the names of their analyses.
 */
export function hintPieces(hint: string, isView: (name: string) => boolean): HintPiece[] {
  const command = /^stepscope (\w+)$/.exec(hint)?.[1];
  if (command && isView(command)) return [text('See '), { kind: 'view', text: command }];
  if (hint.startsWith('--')) return [text(ON_THE_COMMAND_LINE), ...optionPieces(hint)];
  if (hint.includes('`')) return alternate(hint.split(/`([^`]+)`/g), 'code');
  const setting = alternate(hint.split(/\b([A-Z][A-Z_]{3,}=(?:"[^"]*"|\S*))/g), 'code');
  if (setting.length > 1) return setting;
  if (isCode(hint)) return [{ kind: 'code', text: hint }];
  const named = /^(.*\bview )([A-Z]\w+)\b(.*)$/.exec(hint);
  const view = named?.[2]?.toLowerCase() ?? '';
  if (!named || !isView(view)) return [text(hint)];
  return [text(named[1] ?? ''), { kind: 'view', text: view }, text(named[3] ?? '')];
}

/** Code that someone would type: a statement or a call, not only a name. */
export const isStatement = (code: string) => /[=( ]/.test(code);

/** Options with the values that stand for what one gives. */
function optionPieces(hint: string): HintPiece[] {
  return alternate(hint.split(/(--[\w-]+(?: (?:[A-Z]+|\d[\d.%]*)(?![\w]))?)/g), 'option');
}

/** Every second piece is of the kind. */
function alternate(pieces: readonly string[], kind: HintPiece['kind']): HintPiece[] {
  return pieces
    .map((piece, index): HintPiece => ({ kind: index % 2 === 1 ? kind : 'text', text: piece }))
    .filter((piece) => piece.text !== '');
}

const text = (words: string): HintPiece => ({ kind: 'text', text: words });

/** The whole hint is a line of code: it has the signs of one and does not end like a sentence. */
function isCode(hint: string): boolean {
  return (
    /[(){}=]/.test(hint) && /^[\w.-]+(\s|\(|=)/.test(hint) && !/^[A-Z][a-z]|[.!?]$/.test(hint)
  );
}
