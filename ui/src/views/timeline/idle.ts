/** Gets the gaps of the devices for a timeline, once it shows its slices. */
import { createEffect, type Accessor } from 'solid-js';

import { shared } from '../../shell/shared';
import { GAP_LIMIT, gapsOf } from '../../timeline/idle-gaps';
import type { Timeline } from '../../timeline/timeline';
import type { IdleReport } from '../../wire/generated/IdleReport';
import { createAnswer, reportUrl } from '../../wire/report';
import { pathSelection } from './path';

/** How many gaps there are, and how many of them are drawn: the longest. */
export interface GapCounts {
  drawn: number;
  all: number;
}

/**
 * Keeps the gaps up to date, as long as the calling component lives. Returns their numbers, null until
 * they are known.
 */
export function followIdle(timeline: Timeline, session: () => string): Accessor<GapCounts | null> {
  const answer = createAnswer<IdleReport>(() => {
    // A single-file report has the gaps of its Idle view only: a server computes them.
    if (shared() || !timeline.isDrawn[0]()) return null;
    return reportUrl(session(), 'idle', { ...pathSelection(), limit: GAP_LIMIT });
  });
  createEffect(() => {
    const report = answer.data();
    if (report) timeline.setIdle(gapsOf(report));
  });
  return () => {
    const report = answer.data();
    return report ? { drawn: report.rows.length, all: report.row_count } : null;
  };
}
