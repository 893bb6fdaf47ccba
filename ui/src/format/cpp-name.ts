/**
 * Names of C++ functions as people recognize them. Templates of kernel libraries fill hundreds of
 * characters, of which names on one page share most:
 *
 *     void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<… Eigen::half … float const …>>(…)
 *     EigenMetaKernel<TensorConversionOp, float>
 *
 * The return type, namespaces and parameters are left out, and of the template's arguments only those
 * remain that not all functions of the same name have. Pure.
 */

/** At most this many arguments are named. */
const MOST_ARGUMENTS = 5;
/** Words of types that distinguish little. */
const NOISE = new Set(['const', 'unsigned', 'signed', 'class', 'struct', 'volatile', 'typename']);

/** `aten::mm`: the namespace is part of the name of PyTorch's ops. */
const FRAMEWORK_OP = /^\w+::\w+$/;

interface Parts {
  /** The name without return type, namespaces and arguments. */
  base: string;
  /** Names and numbers of the template's arguments, in order, each once; null without a template. */
  words: readonly string[] | null;
}

/** The short form of each name; names that are not C++, or unique enough, stay as they are. */
export function shortCppNames(names: readonly string[]): Map<string, string> {
  const parts = new Map<string, Parts>();
  for (const name of names) {
    const found = parse(name);
    if (found) parts.set(name, found);
  }
  const groups = new Map<string, Parts[]>();
  for (const found of parts.values()) {
    const own = groups.get(found.base);
    if (own) own.push(found);
    else groups.set(found.base, [found]);
  }
  const short = new Map<string, string>();
  const used = new Map<string, number>();
  for (const [name, found] of parts) {
    const text = textOf(found, groups.get(found.base) ?? []);
    const count = (used.get(text) ?? 0) + 1;
    used.set(text, count);
    // Functions that differ only in what is left out are numbered.
    short.set(name, count > 1 ? `${text} #${count}` : text);
  }
  return short;
}

function textOf({ base, words }: Parts, group: readonly Parts[]): string {
  if (words === null) return base;
  const isShared = (word: string) => group.every((other) => other.words?.includes(word));
  const own = group.length > 1 ? words.filter((word) => !isShared(word)) : [];
  if (own.length === 0) return `${base}<…>`;
  const shown = own.slice(0, MOST_ARGUMENTS).join(', ');
  return `${base}<${shown}${own.length > MOST_ARGUMENTS ? ', …' : ''}>`;
}

function parse(name: string): Parts | null {
  if (/^_Z/.test(name)) return demangled(name);
  if (!/::|<.*>|^void .*\(/.test(name) || FRAMEWORK_OP.test(name)) return null;
  const open = name.indexOf('<');
  const head = open < 0 ? name.replace(/\(.*$/, '') : name.slice(0, open);
  const base = head.trim().split(/\s+|::/).at(-1) ?? '';
  if (!base) return null;
  return { base, words: open < 0 ? null : wordsOf(templateAt(name, open)) };
}

/** What is between the angle bracket at a position and its partner. */
function templateAt(name: string, open: number): string {
  let depth = 0;
  for (let at = open; at < name.length; at++) {
    if (name[at] === '<') depth++;
    else if (name[at] === '>' && name[at - 1] !== '-' && --depth === 0) return name.slice(open + 1, at);
  }
  return name.slice(open + 1);
}

function wordsOf(template: string): string[] {
  const words = template.match(/(?<!\w)[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*|(?<!\w)\d+/g) ?? [];
  const last = words.map((word) => word.split('::').at(-1) ?? word);
  return [...new Set(last.filter((word) => !NOISE.has(word)))];
}

/**
 * The name within a mangled one, `_ZN3foo3barIfEEvv` → `bar` with a template. Types are not decoded,
 * except for the names in them.
 */
function demangled(name: string): Parts | null {
  const start = /^_ZN?[KVr]*/.exec(name)?.[0].length ?? 0;
  const { words, end } = identifiersAt(name, start);
  const base = words.at(-1);
  if (base === undefined) return null;
  if (name[end] !== 'I') return { base, words: null };
  const inner: string[] = [];
  for (let at = end + 1; at < name.length; at++) {
    if (!/\d/.test(name[at] ?? '')) continue;
    const found = identifiersAt(name, at);
    // After N, namespaces come before the name; otherwise each identifier is an argument.
    inner.push(...(name[at - 1] === 'N' ? found.words.slice(-1) : found.words));
    at = Math.max(at, found.end - 1);
  }
  return { base, words: [...new Set(inner)] };
}

/** Identifiers with their lengths, one after the other. */
function identifiersAt(name: string, start: number): { words: string[]; end: number } {
  const words: string[] = [];
  let at = start;
  for (;;) {
    const digits = /^\d+/.exec(name.slice(at, at + 4))?.[0];
    const from = at + (digits?.length ?? 0);
    const word = digits ? name.slice(from, from + Number(digits)) : '';
    if (!/^[A-Za-z_]\w*$/.test(word) || word.length !== Number(digits)) return { words, end: at };
    words.push(word);
    at = from + word.length;
  }
}
