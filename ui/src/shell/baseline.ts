/** The baseline: a session that the one shown is held against, in every view. */
import { createMemo, createRoot } from 'solid-js';

import { matchingOf } from '../compare/matching';
import { comparisonUrl, createAnswer } from '../wire/report';
import type { CompareReport } from '../wire/types';
import { baseline, route, selectionParams } from './state';

/** Ops matched; those that changed the step most come first. */
const OPS_LIMIT = 5000;

export const { comparison, matching } = createRoot(() => {
  /** The session against the baseline, with the selection of all views. */
  const comparison = createAnswer<CompareReport>(() => {
    const against = baseline();
    if (against === null || route.session === null) return null;
    return comparisonUrl([against, route.session], { ...selectionParams(), limit: OPS_LIMIT });
  });
  /** Which op was which; undefined until that is known. */
  const matching = createMemo(() => {
    if (baseline() === null) return undefined;
    // Sessions without steps or ops have rows to compare by name all the same.
    if (comparison.error()) return matchingOf(undefined);
    if (comparison.isLoading()) return undefined;
    const report = comparison.data();
    return report ? matchingOf(report) : undefined;
  });
  return { comparison, matching };
});
