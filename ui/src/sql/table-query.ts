/** The query whose rows are those that a table of a view shows. Pure. */
import { parsePattern } from '../format/pattern';
import { escapeRegex } from '../format/text';
import type { Query } from '../wire/client';
import { SQL_NAMES } from '../wire/generated/queries';
import { TABLES, type TableName } from '../wire/generated/tables';
import { literal, nameText } from './words';

/** A table as it is shown. */
export interface ShownTable {
  table: TableName;
  /** Options of its analysis, as on the command line. */
  options: Query;
  /** Keys of the columns shown, in their order. */
  columns: readonly string[];
  /** The columns that a text is searched for in. */
  texts: readonly SearchedColumn[];
  /** The text of the filter, and its conditions in base units. */
  text: string;
  conditions: readonly { key: string; operator: string; limit: number }[];
  sort: { key: string; isAscending: boolean } | null;
  /** Rows of the report if the server left some out, which are then the first ones. */
  limit: number | null;
  /** Why the rows differ from those of the query, if they do. */
  remarks: readonly string[];
}

export interface SearchedColumn {
  key: string;
  /** Where the page shows other words than SQL has: the values whose words match. Otherwise null. */
  matching: readonly string[] | null;
}

/** Null if the table has no name in SQL, or shows nothing of it. */
export function queryOf(shown: ShownTable): string | null {
  const name = SQL_NAMES[shown.table];
  const isColumn = (key: string) => TABLES[shown.table][key] !== undefined;
  const columns = shown.columns.filter(isColumn);
  if (name === undefined || columns.length === 0) return null;
  const unsaid: string[] = [];
  const conditions = shown.conditions.flatMap(({ key, operator, limit }) => {
    if (isColumn(key)) return [`${nameText(key)} ${SIGNS[operator] ?? operator} ${limit}`];
    unsaid.push(`${key} ${operator} ${limit} is computed on the page`);
    return [];
  });
  const texts = shown.texts.filter(({ key }) => isColumn(key));
  if (shown.text !== '') {
    const pattern = patternOf(shown.text);
    const tests = texts.flatMap((column) => testOf(column, pattern ?? '')).join(' or ');
    if (pattern === null || texts.length === 0) unsaid.push(`${shown.text} cannot be searched for in SQL`);
    else conditions.push(tests.includes(' or ') ? `(${tests})` : tests || 'false');
  }
  const { sort } = shown;
  const remarks = [...shown.remarks, ...unsaid].map((remark) => `-- ${remark.replace(/\s+/g, ' ')}`);
  return [
    ...remarks,
    `select ${columns.map(nameText).join(', ')}`,
    `from ${sourceOf(name, shown)}`,
    ...conditions.map((condition, index) => `${index === 0 ? 'where' : '  and'} ${condition}`),
    ...(sort && isColumn(sort.key)
      ? [`order by ${nameText(sort.key)}${sort.isAscending ? '' : ' desc'} nulls last`]
      : []),
  ].join('\n');
}

const SIGNS: Partial<Record<string, string>> = { '!=': '<>' };

/** Options about the number of rows: queries have all. */
const LIMITS = ['limit', 'shardings'];

function sourceOf(name: string, { options, limit }: ShownTable): string {
  const pairs = Object.entries(options).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' || LIMITS.includes(key)
      ? []
      : [literal(`${key}=${value}`)],
  );
  const source = pairs.length === 0 ? name : `${name}(${pairs.join(', ')})`;
  return limit === null ? source : `(select * from ${source} limit ${limit})`;
}

/** Whether a column matches the text; nothing if no value of it does. */
function testOf({ key, matching }: SearchedColumn, pattern: string): string[] {
  if (matching === null) return [`regexp_like(${nameText(key)}, ${pattern})`];
  return matching.length > 0 ? [`${nameText(key)} in (${matching.map(literal).join(', ')})`] : [];
}

/** Groups that look around and references to groups, which the engine's expressions lack. */
const ONLY_HERE = /\(\?<?[=!]|\\[1-9]|\\k</;

/** The arguments of `regexp_like` for what was typed; null if the engine cannot search for it. */
function patternOf(text: string): string | null {
  const { regex, error } = parsePattern(text);
  if (!error && ONLY_HERE.test(text)) return null;
  const pattern = literal(error ? escapeRegex(text) : text);
  return regex.flags.includes('i') ? `${pattern}, 'i'` : pattern;
}
