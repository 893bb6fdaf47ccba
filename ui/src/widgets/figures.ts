/**
 * The definition of every figure: title, meaning, formula, unit. Figures and columns of reports are
 * declared with theirs (`analysis.figure`, `analysis.table.column`); other figures of a page are
 * defined in the `meanings.ts` of its view (`view.figure`). A key belongs to one figure, so that no
 * view shows another view's text.
 */
import type { Kind } from '../format/numbers';
import { FIGURES, TABLES, type DeclaredColumn } from '../wire/generated/tables';
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
  flops: 'floating-point operations',
  flop_rate: 'FLOP per second',
  ratio: SHARE,
  count: '',
};

/** The figure with a key. */
export function figureOf(key: string): Figure | undefined {
  return OF_VIEWS.get(key) ?? ofColumn(key);
}

/** What a report declares for a figure, `ops.attributed_ratio`, or a column, `ops.rows.self_ps`. */
export function declaredOf(key: string): DeclaredColumn | undefined {
  const dot = key.lastIndexOf('.');
  const figures: Record<string, DeclaredColumn | undefined> = FIGURES;
  const tables: Record<string, Record<string, DeclaredColumn> | undefined> = TABLES;
  return figures[key] ?? tables[key.slice(0, dot)]?.[key.slice(dot + 1)];
}

function ofColumn(key: string): Figure | undefined {
  const column = declaredOf(key);
  return (
    column && {
      title: column.title,
      definition: column.meaning,
      formula: column.formula,
      unit: column.kind ? UNITS[column.kind] : '',
    }
  );
}
