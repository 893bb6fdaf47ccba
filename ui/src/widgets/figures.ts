/**
 * What every figure means: title, definition, formula, unit. Columns of reports are declared with
 * them (`analysis.table.column`); what a page shows besides stands in the `meanings.ts` of its view
 * (`view.figure`). A key names one figure, so that no view shows the words of another.
 */
import type { Kind } from '../format/numbers';
import { TABLES, type DeclaredColumn } from '../wire/generated/tables';
import { SHARE, TIME, type Figure } from './figure';

const modules = import.meta.glob<{ MEANINGS: Record<string, Figure> }>('../views/*/meanings.ts', {
  eager: true,
});

const OF_VIEWS = new Map<string, Figure>(
  Object.entries(modules).flatMap(([path, module]) => {
    const view = path.split('/').at(-2) ?? '';
    return Object.entries(module.MEANINGS).map(
      ([key, figure]) => [`${view}.${key}`, figure] as const,
    );
  }),
);

const UNITS: Record<Kind, string> = {
  duration: TIME,
  bytes: 'bytes',
  bandwidth: 'bytes per second',
  flops: 'floating point operations',
  flop_rate: 'FLOP per second',
  ratio: SHARE,
  count: '',
};

/** The figure of a key. */
export function figureOf(key: string): Figure | undefined {
  return OF_VIEWS.get(key) ?? ofColumn(key);
}

function ofColumn(key: string): Figure | undefined {
  const dot = key.lastIndexOf('.');
  const tables: Record<string, Record<string, DeclaredColumn> | undefined> = TABLES;
  const column = tables[key.slice(0, dot)]?.[key.slice(dot + 1)];
  return (
    column && {
      title: column.title,
      definition: column.meaning,
      formula: column.formula,
      unit: column.kind ? UNITS[column.kind] : '',
    }
  );
}
