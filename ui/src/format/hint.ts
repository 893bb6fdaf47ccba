/**
 * Splits a hint into sentences, code, and what the page has itself: views, parts of the selection, and
 * options that are parameters of the view. Pure.
 */
export interface HintPiece {
  /** `link` changes parameters of the current view, `selection` names a control at the top. */
  kind: 'text' | 'code' | 'option' | 'view' | 'link' | 'selection';
  text: string;
  params?: Params;
}

type Params = Record<string, string>;

/** What is known of the page that shows a hint. */
export interface HintPlace {
  /** The current view; empty if its question is fixed, as in a saved report. */
  view: string;
  /** Whether an analysis with this name has a view. */
  isView: (name: string) => boolean;
}

/** Precedes a hint that starts with an option. */
const ON_THE_COMMAND_LINE = 'On the command line, ';
/** What an option of this page that starts a hint does: `shows them; …` or `lists all 8.` */
const DOES = /^ ([a-z]+)s\b([^;,.]*)/;

/** Parts of the selection with a control on every page, by option. */
const CONTROLS: Params = {
  steps: 'Steps',
  time: 'Time',
  device: 'Devices',
  host: 'Hosts',
  match: 'Match',
};
/** Controls of a view for its own options. */
const OWN_CONTROLS: Params = { 'graph search': 'Find' };
const SELECTION = [...Object.keys(CONTROLS), 'series', 'program'];

/** Options that are parameters of the page, and of which views. */
const PARAMETERS: Record<string, readonly string[]> = {
  limit: ['idle', 'requests', 'critical_path', 'what_if'],
  'min-gap': ['idle'],
  against: ['heap'],
  internal: ['heap'],
  kind: ['heap', 'regions'],
  change: ['what_if'],
};
/** Options that the page calls otherwise. */
const OTHERWISE: Record<string, Params> = {
  'scopes split-combined': { combined: 'split' },
  'scopes table layers': { as: 'layers' },
};

/** The pieces of a hint, in which code, commands and options are in backquotes. */
export function hintPieces(hint: string, place: HintPlace): HintPiece[] {
  const pieces = hint
    .split('`')
    .map((text, index) => (index % 2 === 1 ? quoted(text, place) : { kind: 'text' as const, text }))
    .filter((piece) => piece.text !== '');
  const [first, ...rest] = pieces;
  if (first?.kind === 'option') return [{ kind: 'text', text: ON_THE_COMMAND_LINE }, ...pieces];
  if (first?.kind === 'link') return linked(first, rest);
  if (first?.kind === 'view' && pieces.length === 1) {
    return [{ kind: 'text', text: 'See ' }, first];
  }
  return pieces;
}

/** A link that says what it does: “`--internal` shows them” becomes “Show them”. */
function linked(link: HintPiece, rest: readonly HintPiece[]): HintPiece[] {
  const [next, ...others] = rest;
  const does = next?.kind === 'text' ? DOES.exec(next.text) : null;
  if (!next || !does) return [{ ...link, text: 'This link' }, ...rest];
  const [all, verb = '', what = ''] = does;
  const sentence = verb + what;
  const text = sentence.slice(0, 1).toUpperCase() + sentence.slice(1);
  const left = next.text.slice(all.length);
  return [{ ...link, text }, ...(left ? [{ ...next, text: left }] : []), ...others];
}

/** A hint without links, for tooltips; `titleOf` names views. */
export function hintText(hint: string, place: HintPlace, titleOf: (view: string) => string): string {
  return hintPieces(hint, place)
    .map(({ kind, text }) => (kind === 'view' ? titleOf(text) : kind === 'selection' ? `${text} at the top` : text))
    .join('');
}

/** The first code in a hint, for places that do not show the sentence; undefined if it has none. */
export function codeOf(hint: string): string | undefined {
  return hint.split('`')[1];
}

/** Code that someone would type: a statement, a call or an option, not only a name. */
export const isStatement = (code: string) => /[=( ]|^--/.test(code);

/** The piece for a text in backquotes. */
function quoted(code: string, { view, isView }: HintPlace): HintPiece {
  if (code.startsWith('--')) return option(code, view);
  if (isView(code)) return { kind: 'view', text: code };
  // A command that opens a view becomes that view.
  const [, command = '', path = 'PATH', options = ''] =
    /^stepscope (\w+)(?: (?!--)(\S+))?((?: --.*)?)$/.exec(code) ?? [];
  const params = path === 'PATH' && isView(command) ? paramsOf(options, command) : undefined;
  return params ? { kind: 'view', text: command, params } : { kind: 'code', text: code };
}

function option(code: string, view: string): HintPiece {
  const [name = ''] = code.slice(2).split(' ');
  const params = view ? paramsOf(code, view) : undefined;
  if (params) return { kind: 'link', text: code.replace(/--/g, ''), params };
  const control = view ? (OWN_CONTROLS[`${view} ${name}`] ?? CONTROLS[name]) : undefined;
  return control ? { kind: 'selection', text: control } : { kind: 'option', text: code };
}

/** The parameters of a view for options; undefined if the view has not all of them. */
function paramsOf(options: string, view: string): Params | undefined {
  const params: Params = {};
  for (const one of options.split(/\s*--(?=[a-z])/).filter(Boolean)) {
    const [, name = '', value = ''] = /^([\w-]+) ?(.*)$/s.exec(one) ?? [];
    const otherwise = OTHERWISE[`${view} ${one}`];
    const isKnown = SELECTION.includes(name) || PARAMETERS[name]?.includes(view);
    const isFlag = name === 'internal';
    // Without a value, or with a placeholder such as N, it is for the reader to fill in.
    if (otherwise) Object.assign(params, otherwise);
    else if (!isKnown || (!value && !isFlag) || /^[A-Z]+$/.test(value)) return undefined;
    else params[name] = params[name] ? `${params[name]}; ${value}` : value || 'true';
  }
  return params;
}
