/** What the editor offers at a position of a query. Pure. */
import { ENGINE_FUNCTIONS, KEYWORDS, nameText } from '../../sql/words';
import type { SqlColumnEntry } from '../../wire/generated/SqlColumnEntry';
import type { SqlSchemaReport } from '../../wire/generated/SqlSchemaReport';
import type { SqlTableEntry } from '../../wire/generated/SqlTableEntry';
import { definedIn, isInText, tablesIn, blanked } from './tables-in';

export interface Offer {
  label: string;
  /** What is written, if not the label. */
  apply?: string;
  kind: 'table' | 'view' | 'column' | 'alias' | 'function' | 'keyword';
  /** Next to the label: a unit, or the table of a column. */
  detail?: string;
  /** The meaning, shown beside the list. */
  info?: string;
}

export interface Offers {
  /** Where the word that is completed starts. */
  from: number;
  offers: Offer[];
}

type Schema = Pick<SqlSchemaReport, 'tables' | 'views' | 'functions'>;

/** Null where nothing is to be completed, such as within a text. */
export function offersAt(schema: Schema, query: string, at: number): Offers | null {
  if (isInText(query, at)) return null;
  const before = blanked(query).slice(0, at);
  const word = /[a-z_0-9]*$/i.exec(before)?.[0] ?? '';
  // A number is no name.
  if (/^\d/.test(word)) return null;
  const from = at - word.length;
  const owner = /"?([a-z_]\w*)"?\.$/i.exec(before.slice(0, from))?.[1]?.toLowerCase();
  const named = tablesIn(query);
  if (owner !== undefined) {
    const table = named.find(({ alias, table }) => alias === owner || table === owner)?.table;
    const columns = tableOf(schema, table ?? owner)?.columns ?? [];
    return { from, offers: columns.map((column) => columnOffer(column, '')) };
  }
  const tables = tableOffers(schema, query);
  if (/\b(?:from|join)\s+$/i.test(before.slice(0, from))) return { from, offers: tables };
  return {
    from,
    offers: [
      ...columnsOf(schema, named.map(({ table }) => table)),
      ...named.flatMap(({ alias, table }) =>
        alias === null ? [] : [{ label: alias, kind: 'alias' as const, detail: table }],
      ),
      ...functionOffers(schema),
      ...KEYWORDS.map((label) => ({ label, kind: 'keyword' as const })),
      ...tables,
    ],
  };
}

const tableOf = (schema: Schema, name: string): SqlTableEntry | undefined =>
  [...schema.tables, ...schema.views].find((table) => table.name === name);

/** Columns of several tables; one that several of them have is offered once. */
function columnsOf(schema: Schema, tables: readonly string[]): Offer[] {
  const found = new Map<string, Offer>();
  for (const name of new Set(tables)) {
    for (const column of tableOf(schema, name)?.columns ?? []) {
      if (!found.has(column.key)) found.set(column.key, columnOffer(column, name));
    }
  }
  return [...found.values()];
}

function columnOffer(column: SqlColumnEntry, table: string): Offer {
  const text = nameText(column.key);
  return {
    label: column.key,
    ...(text === column.key ? {} : { apply: text }),
    kind: 'column',
    detail: [column.unit, table].filter(Boolean).join(' · '),
    info: column.meaning,
  };
}

function tableOffers(schema: Schema, query: string): Offer[] {
  return [
    ...definedIn(query).map((label) => ({ label, kind: 'table' as const, detail: 'this query' })),
    ...schema.views.map(({ name, meaning }) => offer(name, 'view', meaning)),
    ...schema.tables.map(({ name, meaning }) => offer(name, 'table', meaning)),
  ];
}

const offer = (label: string, kind: 'table' | 'view', info: string): Offer => ({
  label,
  kind,
  detail: kind,
  info,
});

function functionOffers(schema: Schema): Offer[] {
  const own = schema.functions.map(({ signature, meaning }) => [signature, meaning] as const);
  return [...own, ...ENGINE_FUNCTIONS].map(([signature, meaning]) => {
    const name = signature.replace(/\(.*/, '');
    return { label: name, apply: `${name}(`, kind: 'function', detail: signature.slice(name.length), info: meaning };
  });
}
