/** The tree of the schema: what it shows for a search. Pure. */
import type { SqlColumnEntry } from '../../wire/generated/SqlColumnEntry';
import type { SqlSchemaReport } from '../../wire/generated/SqlSchemaReport';

export interface SchemaEntry {
  kind: 'view' | 'table' | 'function';
  name: string;
  /** What is written when it is chosen. */
  text: string;
  detail: string;
  meaning: string;
  query?: string;
  columns: readonly SqlColumnEntry[];
  /** Whether a column matches, rather than the name: its columns are then shown. */
  isOpen: boolean;
}

export interface SchemaGroup {
  title: string;
  entries: SchemaEntry[];
}

/** Groups with what matches: every word must be in a name, a column or a meaning. */
export function schemaGroups(schema: SqlSchemaReport, search: string): SchemaGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const tables = (list: readonly (SqlSchemaReport['tables'][number] & { query?: string })[], kind: 'view' | 'table') =>
    list.map((table): SchemaEntry => ({
      kind,
      name: table.name,
      text: table.name,
      detail: '',
      meaning: table.meaning,
      ...(table.query ? { query: table.query } : {}),
      columns: table.columns,
      isOpen: false,
    }));
  const functions = schema.functions.map(({ signature, meaning }): SchemaEntry => {
    const name = signature.replace(/\(.*/, '');
    return {
      kind: 'function',
      name,
      text: `${name}(`,
      detail: signature.slice(name.length),
      meaning,
      columns: [],
      isOpen: false,
    };
  });
  return [
    { title: 'Views', entries: tables(schema.views, 'view') },
    { title: 'Tables', entries: tables(schema.tables, 'table') },
    { title: 'Functions', entries: functions },
  ]
    .map((group) => ({ ...group, entries: group.entries.flatMap((entry) => found(entry, words)) }))
    .filter(({ entries }) => entries.length > 0);
}

function found(entry: SchemaEntry, words: readonly string[]): SchemaEntry[] {
  if (words.length === 0) return [entry];
  const own = `${entry.name} ${entry.meaning}`.toLowerCase();
  if (words.every((word) => own.includes(word))) return [entry];
  const columns = entry.columns.filter(({ key, meaning }) => {
    const text = `${own} ${key} ${meaning}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return columns.length > 0 ? [{ ...entry, columns, isOpen: true }] : [];
}
