/** The URL of the report that a timeline begins with. */
import { selected } from '../shell/state';
import { urlOf } from '../wire/client';

/**
 * Selected devices and hosts choose the tracks. Selected steps only set the first window, and a
 * selected pattern is only searched for, so that what is around them stays visible.
 */
export function timelineReportUrl(session: string): string {
  return urlOf(`api/sessions/${session}/analyses/timeline`, {
    device: selected('device'),
    host: selected('host'),
  });
}
