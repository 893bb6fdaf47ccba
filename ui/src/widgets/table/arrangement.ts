/**
 * Which columns of a table are shown, in which order and how wide, as the difference from its usual
 * form, in the syntax of the address: `-flops` hides a column, `self_ps:140` gives it 140 pixels,
 * `total_ps~self_ps` puts it before another one, `total_ps~` last, and `self_ps!` shows in its cells
 * where they are in the distribution of the column. Pure.
 */

export interface Arrangement {
  hidden: ReadonlySet<string>;
  widths: ReadonlyMap<string, number>;
  /** Columns in the order in which they were moved, and the column that each is before. */
  moves: readonly (readonly [key: string, before: string])[];
  /** Columns whose cells show where they are in the distribution. */
  distributed: ReadonlySet<string>;
}

export const USUAL: Arrangement = {
  hidden: new Set(),
  widths: new Map(),
  moves: [],
  distributed: new Set(),
};

/** Narrower columns cannot be grasped any more. */
const LEAST_WIDTH = 40;
const MOST_WIDTH = 2000;

export const isUsual = (arrangement: Arrangement): boolean => formatArrangement(arrangement) === '';

export function parseArrangement(text: string | undefined): Arrangement {
  const hidden = new Set<string>();
  const widths = new Map<string, number>();
  const moves: [string, string][] = [];
  const distributed = new Set<string>();
  for (const part of (text ?? '').split(',')) {
    const [, sign, key = '', rest = ''] = /^(-?)([\w.]+)(.*)$/.exec(part) ?? [];
    if (!key) continue;
    if (sign) hidden.add(key);
    else if (/^:\d+$/.test(rest)) widths.set(key, limited(Number(rest.slice(1))));
    else if (rest === '!') distributed.add(key);
    else if (rest.startsWith('~')) moves.push([key, rest.slice(1)]);
  }
  return { hidden, widths, moves, distributed };
}

export function formatArrangement({ hidden, widths, moves, distributed }: Arrangement): string {
  return [
    ...[...hidden].map((key) => `-${key}`),
    ...moves.map(([key, before]) => `${key}~${before}`),
    ...[...widths].map(([key, width]) => `${key}:${width}`),
    ...[...distributed].map((key) => `${key}!`),
  ].join(',');
}

/** The columns in their order, hidden ones left out; the last one left cannot be hidden. */
export function arranged<Column extends { key: string }>(
  columns: readonly Column[],
  arrangement: Arrangement,
): Column[] {
  const order = inOrder(columns, arrangement);
  const shown = order.filter((column) => !arrangement.hidden.has(column.key));
  return shown.length > 0 ? shown : order.slice(0, 1);
}

/** All columns in their order, hidden ones included. */
export function inOrder<Column extends { key: string }>(
  columns: readonly Column[],
  { moves }: Arrangement,
): Column[] {
  const order = [...columns];
  for (const [key, before] of moves) {
    const from = order.findIndex((column) => column.key === key);
    if (from < 0) continue;
    const [moved] = order.splice(from, 1);
    const at = order.findIndex((column) => column.key === before);
    order.splice(at < 0 ? order.length : at, 0, moved as Column);
  }
  return order;
}

export function withHidden(arrangement: Arrangement, key: string, isHidden: boolean): Arrangement {
  const hidden = new Set(arrangement.hidden);
  if (isHidden) hidden.add(key);
  else hidden.delete(key);
  return { ...arrangement, hidden };
}

export function withDistribution(
  arrangement: Arrangement,
  key: string,
  isShown: boolean,
): Arrangement {
  const distributed = new Set(arrangement.distributed);
  if (isShown) distributed.add(key);
  else distributed.delete(key);
  return { ...arrangement, distributed };
}

/** Null returns to the usual width. */
export function withWidth(arrangement: Arrangement, key: string, width: number | null): Arrangement {
  const widths = new Map(arrangement.widths);
  if (width === null) widths.delete(key);
  else widths.set(key, limited(width));
  return { ...arrangement, widths };
}

/** Puts a column before another one, or last. A second move of a column replaces the first. */
export function withMove(arrangement: Arrangement, key: string, before: string): Arrangement {
  if (key === before) return arrangement;
  const moves = arrangement.moves.filter(([moved]) => moved !== key);
  return { ...arrangement, moves: [...moves, [key, before]] };
}

/** One place to the left or right, among the columns shown. */
export function withStep<Column extends { key: string }>(
  arrangement: Arrangement,
  columns: readonly Column[],
  key: string,
  by: 1 | -1,
): Arrangement {
  const shown = arranged(columns, arrangement);
  const at = shown.findIndex((column) => column.key === key);
  const next = at + by;
  if (at < 0 || next < 0 || next >= shown.length) return arrangement;
  const before = by < 0 ? shown[next] : shown[next + 1];
  return withMove(arrangement, key, before?.key ?? '');
}

const limited = (width: number) => Math.round(Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, width)));
