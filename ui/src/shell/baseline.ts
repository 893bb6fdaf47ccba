/** The baseline: the session that every view compares the shown session with. */
import { createMemo, createRoot } from 'solid-js';

import { matchingOf } from '../compare/matching';
import { comparisonUrl, createAnswer } from '../wire/report';
import type { CompareReport } from '../wire/types';
import { baseline, route, selectionParams } from './state';

/** How many ops are matched, starting with those that changed the step time most. */
const OPS_LIMIT = 5000;

export const { comparison, matching } = createRoot(() => {
  /** The session compared with the baseline, within the shared selection. */
  const comparison = createAnswer<CompareReport>(() => {
    const against = baseline();
    if (against === null || route.session === null) return null;
    return comparisonUrl([against, route.session], { ...selectionParams(), limit: OPS_LIMIT });
  });
  /** Which ops correspond to each other; undefined until known. */
  const matching = createMemo(() => {
    if (baseline() === null) return undefined;
    // Sessions without steps or ops still have rows to compare by name.
    if (comparison.error()) return matchingOf(undefined);
    if (comparison.isLoading()) return undefined;
    const report = comparison.data();
    return report ? matchingOf(report) : undefined;
  });
  return { comparison, matching };
});
