/** Pairs the rows of a table with the baseline's. Pure. */
import type { Evidence } from '../wire/generated/Evidence';
import type { Matching, Side } from './matching';

/** What identifies the rows of a table in both sessions. */
export interface RowComparison<Row> {
  /** The rows in the baseline's report. */
  rows: (report: never) => readonly Row[];
  /** Identifies the row, with `op` and `step`. A row with an empty identity and no op is not paired. */
  identity?: (row: Row) => string;
  /** Program id and name of the row's op; the comparison matches it with the baseline's. */
  op?: (row: Row) => readonly [programId: string, name: string] | null;
  /** Number of the row's step; steps pair by number, otherwise in order. */
  step?: (row: Row) => number | null;
  /** Evidence for a row that is neither an op nor a step, such as a group of ops. */
  evidence?: (row: Row, matching: Matching) => Evidence | undefined;
  /** All rows of the session, if the table shows only some of them, as a folded tree does. */
  among?: () => readonly Row[];
  /**
   * Whether both tables are only the largest of many ops: one that is missing on a side may be among
   * those left out, so only the matching says that an op is new or gone.
   */
  isExcerpt?: boolean;
}

/** Declares a comparison; checks the type of the report. */
export function compareRows<Report, Row>(
  rows: (report: Report) => readonly Row[],
  comparison: Omit<RowComparison<Row>, 'rows'>,
): RowComparison<Row> {
  return { ...comparison, rows: rows as (report: never) => readonly Row[] };
}

export interface Pairs<Row> {
  before: ReadonlyMap<Row, Row>;
  /** Rows that only the session has. */
  fresh: ReadonlySet<Row>;
  /** Rows that only the baseline has, in its order. */
  gone: readonly Row[];
  isGone: (row: Row) => boolean;
  /** Evidence for a row's times; undefined if the comparison has none. */
  evidenceOf: (row: Row) => Evidence | undefined;
  stepRatio: number;
}

export function pairRows<Row>(
  rows: readonly Row[],
  baseline: readonly Row[],
  comparison: RowComparison<Row>,
  matching: Matching,
): Pairs<Row> {
  const keys = (side: Side) => {
    const counts = new Map<string, number>();
    return (row: Row): string | null => {
      const op = comparison.op?.(row);
      const own = comparison.identity?.(row) ?? '';
      if (!op && own === '') return null;
      const step = comparison.step?.(row);
      const parts = [
        op ? matching.key(side, op[0], op[1]) : '',
        typeof step === 'number' ? matching.stepKey(side, step) : '',
        own,
      ];
      const key = parts.join(' ');
      // Rows with the same key pair in order.
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return `${count} ${key}`;
    };
  };
  const isAlone = (side: Side, row: Row): boolean => {
    if (!comparison.isExcerpt) return true;
    const op = comparison.op?.(row);
    const found = op && matching.opOf(side, op[0], op[1]);
    return found ? !found[side === 'session' ? 'baseline' : 'other'] : false;
  };
  const known = new Map<string, Row>();
  const baselineKey = keys('baseline');
  for (const row of baseline) {
    const key = baselineKey(row);
    if (key !== null) known.set(key, row);
  }
  const before = new Map<Row, Row>();
  const fresh = new Set<Row>();
  const sessionKey = keys('session');
  for (const row of rows) {
    const key = sessionKey(row);
    if (key === null) continue;
    const found = known.get(key);
    if (found === undefined) {
      if (isAlone('session', row)) fresh.add(row);
    } else {
      before.set(row, found);
      known.delete(key);
    }
  }
  const gone = [...known.values()].filter((row) => isAlone('baseline', row));
  const isGone = new Set(gone);
  return {
    before,
    fresh,
    gone,
    isGone: (row) => isGone.has(row),
    evidenceOf: (row) => {
      const op = comparison.op?.(row);
      if (op) return matching.opEvidence(op[0], op[1]);
      if (comparison.step) return matching.stepEvidence;
      const known = comparison.evidence?.(row, matching);
      // With too few steps for the step time, there are too few for every row.
      const { stepEvidence } = matching;
      return known ?? (stepEvidence === 'too_few_steps' ? stepEvidence : undefined);
    },
    stepRatio: matching.stepRatio,
  };
}
