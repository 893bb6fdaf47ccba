/** Opens the page for SQL with a query. */
import { navigate, SQL_VIEW } from '../shell/state';

/** Parameters of the page that belong to the rows of one query. */
export const OF_ROWS = ['sort', 'q', 'cols', 'group', 'show', 'chart', 'x', 'y', 'color'] as const;

export function openQuery(query: string): void {
  const cleared = Object.fromEntries(OF_ROWS.map((name) => [name, '']));
  navigate({ view: SQL_VIEW, params: { ...cleared, query } });
}
