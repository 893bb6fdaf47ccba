/** Gets the critical path for a timeline, while the timeline shows it. */
import { createEffect, createMemo } from 'solid-js';

import { shared } from '../../shell/shared';
import { selectionParams } from '../../shell/state';
import { PATH_LIMIT, pathOf, pathOfWords } from '../../timeline/path-ruler';
import type { Timeline } from '../../timeline/timeline';
import type { Query } from '../../wire/client';
import type { CriticalPathReport } from '../../wire/generated/CriticalPathReport';
import { createAnswer, reportUrl } from '../../wire/report';

/** The selection whose critical paths the timeline shows: a pattern is only searched for. */
export function pathSelection(): Query {
  return { ...selectionParams(), match: null };
}

/** Keeps the timeline's strip up to date, as long as the calling component lives. */
export function followPath(timeline: Timeline, session: () => string): void {
  const answer = createAnswer<CriticalPathReport>(() => {
    if (shared() || !timeline.isPathShown[0]()) return null;
    const options = { ...pathSelection(), 'all-steps': 'true', limit: PATH_LIMIT };
    return reportUrl(session(), 'critical_path', options);
  });
  const path = createMemo(() => {
    const report = answer.data();
    return report && pathOf(report);
  });
  createEffect(() => {
    const error = answer.error();
    const refused = error && pathOfWords(`No critical path: ${error.message}`);
    timeline.setPath(refused ?? path() ?? pathOfWords('Critical path…'));
  });
}
