/**
 * Requests what the view of the URL needs while the page itself starts, so that they do not wait for
 * each other: the view's code, and the report of the timeline, which is the slowest to be complete.
 */
import { timelineReportUrl } from '../timeline/report-url';
import { getJson } from '../wire/client';
import type { TimelineReport } from '../wire/generated/TimelineReport';
import { TIMELINE_VIEW } from './hash';
import { route } from './state';
import { VIEWS } from './views';

/** The code of the timeline's view. */
type TimelineView = typeof import('../views/timeline/index');

/** Resolves once nothing is left to request before the page is built; errors are shown by the page. */
export async function requestEarly(): Promise<void> {
  const { session, view } = route;
  const code = Promise.resolve(VIEWS.get(view)?.preload());
  if (session === null || view !== TIMELINE_VIEW) {
    code.catch(() => undefined);
    return;
  }
  const report = getJson<TimelineReport>(timelineReportUrl(session));
  try {
    const [known, { begin }] = await Promise.all([report, code as Promise<TimelineView>]);
    begin(session, known);
  } catch {
    // Whoever needs it next gets the error, and shows it.
  }
}
