/** Pivot tables of areas as rows that two sessions share, whatever the order of their columns. Pure. */
import type { PivotReport } from '../wire/generated/PivotReport';

/** What the cells show. */
export type PivotMeasure = 'time' | 'count' | 'share';

export interface PivotLine {
  key: string;
  count: number;
  totalPs: number;
  /** Slices and their time by column; columns without any are absent. */
  cells: ReadonlyMap<string, { count: number; totalPs: number }>;
}

export function linesOf(report: PivotReport): PivotLine[] {
  return report.rows.map((row) => ({
    key: row.key,
    count: row.count,
    totalPs: row.total_ps,
    cells: new Map(
      report.columns.flatMap(({ key }, index) => {
        const count = row.counts[index] ?? 0;
        return count > 0 ? [[key, { count, totalPs: row.totals_ps[index] ?? 0 }] as const] : [];
      }),
    ),
  }));
}

/** A cell in a measure; null where nothing ran. */
export function cellOf(
  line: PivotLine,
  column: PivotReport['columns'][number],
  measure: PivotMeasure,
): number | null {
  const cell = line.cells.get(column.key);
  if (!cell) return null;
  switch (measure) {
    case 'time':
      return cell.totalPs;
    case 'count':
      return cell.count;
    case 'share':
      return column.total_ps > 0 ? cell.totalPs / column.total_ps : null;
  }
}

/** Identifies a row in both sessions: ids of programs differ between them. */
export const identityOf = (key: string) => key.replace(/\(\d+\)$/, '');

/** The key of a column in the address, where only letters, digits and `_` stand for themselves. */
export function columnKey(key: string): string {
  return `cell_${key.replace(/[^A-Za-z0-9]/gu, (one) => `_${one.codePointAt(0)!.toString(16)}_`)}`;
}
