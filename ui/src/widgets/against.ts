/**
 * The same report of the baseline, for the widgets of an answer. `AnswerView` provides it, tables and
 * cards read it, and it is not requested unless a baseline is chosen.
 */
import { createContext, createMemo, useContext, type Accessor } from 'solid-js';

import { matching } from '../shell/baseline';
import { pairRows, type Pairs, type RowComparison } from '../compare/pairing';
import { baseline } from '../shell/state';
import type { WireError } from '../wire/client';

export interface Against {
  data: Accessor<unknown>;
  error: Accessor<WireError | undefined>;
}

const NOTHING: Against = { data: () => undefined, error: () => undefined };

export const AgainstContext = createContext<Against>(NOTHING);

/** The baseline's report, undefined without one. */
export function useAgainst<Report>(): Accessor<Report | undefined> {
  const against = useContext(AgainstContext);
  return () => (baseline() === null ? undefined : (against.data() as Report | undefined));
}

/** Why the baseline has no such report; undefined if it has one. */
export function useAgainstError(): Accessor<WireError | undefined> {
  const against = useContext(AgainstContext);
  return () => (baseline() === null ? undefined : against.error());
}

/** Rows paired with those of the baseline; null while there is nothing to compare. */
export function useRowPairs<Row>(
  rows: Accessor<readonly Row[]>,
  comparison: Accessor<RowComparison<Row> | undefined>,
): Accessor<Pairs<Row> | null> {
  const report = useAgainst<never>();
  return createMemo(() => {
    const rule = comparison();
    // Read first: reading it requests the report.
    const against = rule && baseline() !== null ? report() : undefined;
    const match = matching();
    if (!rule || against === undefined || !match) return null;
    return pairRows(rule.among?.() ?? rows(), rule.rows(against), rule, match);
  });
}
