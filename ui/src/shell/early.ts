/**
 * Requests what the view of the URL needs while the page itself starts, so that they do not wait for
 * each other: the view's code, and the report of the timeline, which is the slowest to be complete.
 */
import { timelineReportUrl } from '../timeline/report-url';
import { getJson } from '../wire/client';
import { TIMELINE_VIEW } from './hash';
import { route } from './state';
import { VIEWS } from './views';

export function requestEarly(): void {
  // Whoever needs it next gets the error, and shows it.
  const ignore = () => undefined;
  const { view } = route;
  void Promise.resolve(VIEWS.get(view)?.preload()).catch(ignore);
  if (route.session !== null && view === TIMELINE_VIEW) {
    getJson(timelineReportUrl(route.session)).catch(ignore);
  }
}
