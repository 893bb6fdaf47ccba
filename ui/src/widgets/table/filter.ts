/**
 * The language of a table's filter: a text or regular expression for the columns of text, or for one of
 * them, `category:fusion`, and conditions on columns of numbers, `self > 1ms`, `share >= 5%`,
 * `count != 1`, in any order; a row must satisfy all of them. A number without a unit is in the unit of its column. Pure.
 */
import type { Kind } from '../../format/numbers';
import { parsePattern } from '../../format/pattern';
import { EXAMPLES, unitSize } from '../../format/quantity';
/** What the filter has to know of a column. */
export interface FilterColumn<Row> {
  key: string;
  title: string;
  kind?: Kind;
  value: (row: Row) => string | number | boolean | null;
  /** Base units per unit in the header; absent if each cell has its own unit. */
  size?: number;
}

export interface Filter<Row> {
  /** Null if it accepts every row. */
  test: ((row: Row) => boolean) | null;
  /** What is wrong with it, as a sentence; empty if nothing. */
  error: string;
  /** The part for the columns of text. */
  text: string;
  conditions: readonly Condition<Row>[];
}

/** A comparison of a column with a number in its base unit. */
export interface Condition<Row> {
  column: FilterColumn<Row>;
  operator: Operator;
  limit: number;
}

export type Operator = '>' | '>=' | '<' | '<=' | '=' | '!=';

const COMPARISONS: Record<Operator, (one: number, other: number) => boolean> = {
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '=': (one, other) => one === other,
  '!=': (one, other) => one !== other,
};

/** An operator with a number: `>= 1.5`, `<3`, and what may be its unit. */
const CONDITION =
  /(>=|<=|!=|==|≥|≤|≠|=|<|>)\s*([+-]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?)(\s*)([a-zµμ%]+(?:\/s)?)?/giu;
/** An operator that no number follows. A lone `=` may be a part of a text. */
const UNFINISHED = /(>=|<=|!=|==|≥|≤|≠|<|>)\s*(\S*)/u;
const SAME: Record<string, Operator> = { '==': '=', '≥': '>=', '≤': '<=', '≠': '!=' };
/** Titles have at most this many words. */
const MOST_WORDS = 5;

export function parseFilter<Row>(
  query: string,
  columns: readonly FilterColumn<Row>[],
): Filter<Row> {
  const { rest, fields, error } = fieldsOf(query, columns);
  const found = conditions(rest, columns);
  const pattern = found.text ? parsePattern(found.text) : null;
  const texts = columns.filter((column) => column.kind === undefined);
  const hasText = (row: Row) =>
    pattern === null ||
    texts.some((column) => {
      const value = column.value(row);
      return typeof value === 'string' && pattern.test(value);
    });
  const isAll = pattern === null && found.conditions.length === 0 && fields.length === 0;
  const isFound = (row: Row) =>
    fields.every((test) => test(row)) &&
    found.conditions.every((each) => holds(each, row)) &&
    hasText(row);
  return {
    test: isAll ? null : isFound,
    error: error || found.error || (pattern?.error ?? ''),
    text: found.text,
    conditions: found.conditions,
  };
}

/** `category:fusion`, at the start or after a space; not `TPU:0`, `train.py:7` or `std::sort`. */
const FIELD = /(?:^|(?<=\s))([a-z_]+):(?!:)(\S+)/gi;

/** Takes texts for single columns of text out of a query; other words with a colon are text. */
function fieldsOf<Row>(query: string, columns: readonly FilterColumn<Row>[]) {
  const fields: ((row: Row) => boolean)[] = [];
  let error = '';
  const rest = query.replace(FIELD, (whole, name: string, text: string) => {
    const column = textColumn(name, columns);
    if (!column) return whole;
    const pattern = parsePattern(text);
    error ||= pattern.error;
    fields.push((row) => pattern.test(String(column.value(row) ?? '')));
    return '';
  });
  return { rest: fields.length > 0 ? rest.replace(/\s+/g, ' ').trim() : query, fields, error };
}

const textColumn = <Row>(name: string, columns: readonly FilterColumn<Row>[]) =>
  columns.find((column) => column.kind === undefined && namesOf(column).includes(plain(name)));

/** What to say of a query that finds nothing because it names a column that there is not. */
export function unknownField<Row>(query: string, columns: readonly FilterColumn<Row>[]): string {
  const known = columns.filter(({ kind, title }) => kind === undefined && title !== '');
  for (const [, name = ''] of query.matchAll(FIELD)) {
    if (textColumn(name, columns) || name !== name.toLowerCase()) continue;
    const titles = known.map(({ title }) => title).join(', ');
    return `Unknown column “${name}”. Columns with text: ${titles}.`;
  }
  return '';
}

function holds<Row>({ column, operator, limit }: Condition<Row>, row: Row): boolean {
  const own = column.value(row);
  return typeof own === 'number' && !Number.isNaN(own) && COMPARISONS[operator](own, limit);
}

interface Conditions<Row> {
  conditions: Condition<Row>[];
  text: string;
  error: string;
}

function conditions<Row>(query: string, columns: readonly FilterColumn<Row>[]): Conditions<Row> {
  const found: Conditions<Row> = { conditions: [], text: '', error: '' };
  const rest: string[] = [];
  let from = 0;
  for (const match of query.matchAll(CONDITION)) {
    if (match.index < from) continue;
    const before = query.slice(from, match.index);
    const named = nameAtEnd(before, columns);
    const [whole, sign = '', digits = '', gap = '', unit = ''] = match;
    if (!named) {
      // `axes=0` may be a part of a text; a comparison is not.
      const word = /[\w.]+\s*$/.exec(before)?.[0].trim();
      if (sign.startsWith('=') || !word) continue;
      found.error ||= unknownColumn(word, columns);
      rest.push(before.trimEnd().slice(0, -word.length));
      from = match.index + whole.length - (gap ? gap.length + unit.length : 0);
      continue;
    }
    const { column, start } = named;
    const size = unit ? unitSize(column.kind as Kind, unit) : null;
    // A word after a gap may be the text to search for.
    const isUnit = unit !== '' && (size !== null || gap === '');
    const value = Number(digits.replace(/,/g, ''));
    const scaled = isUnit ? size : value === 0 ? 1 : (column.size ?? null);
    rest.push(before.slice(0, start));
    from = match.index + whole.length - (isUnit ? 0 : gap.length + unit.length);
    if (scaled === null) {
      found.error ||= wrongUnit(column, sign, isUnit ? unit : '');
      continue;
    }
    const operator = SAME[sign] ?? (sign as Operator);
    found.conditions.push({ column, operator, limit: value * scaled });
  }
  rest.push(query.slice(from));
  found.text = textOf(rest, found.conditions.length > 0);
  return withoutUnfinished(found, columns);
}

/** Reports a comparison whose right side is not a number, and removes it from the text to search for. */
function withoutUnfinished<Row>(
  found: Conditions<Row>,
  columns: readonly FilterColumn<Row>[],
): Conditions<Row> {
  const match = UNFINISHED.exec(found.text);
  const named = match && nameAtEnd(found.text.slice(0, match.index), columns);
  if (!named) return found;
  const [whole, sign = '', word = ''] = match;
  const rest = found.text.slice(0, named.start) + found.text.slice(match.index + whole.length);
  return { ...found, text: rest.trim(), error: found.error || noNumber(named.column, sign, word) };
}

/** What is left of the query; words that join conditions are not a text to search for. */
function textOf(rest: readonly string[], hasConditions: boolean): string {
  const words = rest.map((part) => part.trim());
  const kept = hasConditions ? words.map((part) => part.replace(/^(and|&&?|,)$/i, '')) : words;
  const text = kept.filter(Boolean).join(' ');
  return hasConditions ? text.replace(/^(and|&&?|,)\s+|\s+(and|&&?|,)$/gi, '') : text;
}

/** The column that the last words of a text name, the longest name first. */
function nameAtEnd<Row>(
  text: string,
  columns: readonly FilterColumn<Row>[],
): { column: FilterColumn<Row>; start: number } | null {
  const words = [...text.matchAll(/\S+/g)].slice(-MOST_WORDS);
  for (const word of words) {
    const name = plain(text.slice(word.index));
    const numbers = columns.filter((candidate) => candidate.kind !== undefined);
    const column =
      numbers.find((candidate) => namesOf(candidate).includes(name)) ??
      numbers.find((candidate) => isShare(candidate, name));
    if (name && column) return { column, start: word.index };
  }
  return null;
}

/** `self_ps`, `self`, or the title. */
const namesOf = (column: { key: string; title: string }) => [
  plain(column.key),
  plain(column.key.replace(/_(ps|bytes|ratio|count|flops)$/, '')),
  plain(column.title),
];

/** `share`, or `share of ops`, for a column *Of ops*; of several, the first. */
const isShare = ({ title }: { title: string }, name: string) =>
  title.startsWith('Of ') && ['share', plain(`share ${title}`)].includes(name);

const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function unknownColumn<Row>(word: string, columns: readonly FilterColumn<Row>[]): string {
  const known = columns.filter((column) => column.kind !== undefined).map(({ title }) => title);
  return `Unknown column “${word}”. Columns with numbers: ${known.join(', ')}.`;
}

function noNumber<Row>(column: FilterColumn<Row>, sign: string, word: string): string {
  const example = exampleOf(column, sign);
  return word
    ? `“${word}” is not a number. Write it like ${example}.`
    : `${column.title} is compared with a number, such as ${example}.`;
}

const exampleOf = <Row>(column: FilterColumn<Row>, sign: string) =>
  `${column.title.toLowerCase()} ${sign} ${EXAMPLES[column.kind as Kind]}`;

function wrongUnit<Row>(column: FilterColumn<Row>, sign: string, unit: string): string {
  const example = exampleOf(column, sign);
  return unit
    ? `“${unit}” is not a unit of ${column.title}. Write it like ${example}.`
    : `${column.title} needs a unit, such as ${example}.`;
}
