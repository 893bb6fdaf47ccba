/** Opens a timeline with the rows of a query as a track. The query is in the link, which runs it again. */
import { navigate } from '../shell/state';

/** The query. */
export const LAID_PARAM = 'laid';
/** `all` if it asks all sessions instead of the one shown. */
export const LAID_SCOPE_PARAM = 'laid-of';
/** The name of the track; by default the first line of the query. */
export const LAID_NAME_PARAM = 'laid-name';

export function layOver(session: string, query: string, isOfAll: boolean): void {
  const params = {
    [LAID_PARAM]: query,
    [LAID_SCOPE_PARAM]: isOfAll ? 'all' : '',
    [LAID_NAME_PARAM]: '',
  };
  navigate({ session, view: 'timeline', params });
}
