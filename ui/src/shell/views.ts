/**
 * Every folder `views/<analysis name>/` contains the view of that analysis; its `index.tsx` exports the
 * component as default. Views load when first shown.
 */
import { lazy, type Component } from 'solid-js';

import { SQL_VIEW } from './hash';
import { shared } from './shared';

/** The props of every view. */
export interface ViewProps {
  /** Its key; empty for all sessions. */
  session: string;
}

/** Views of all sessions; that of queries is also one of a session. */
export { INCIDENTS_VIEW, SESSIONS_VIEW, SQL_VIEW } from './hash';

type Loader = () => Promise<{ default: Component<ViewProps> }>;

const loaders = import.meta.glob<{ default: Component<ViewProps> }>('../views/*/index.tsx');

/** Views by analysis name. A report has no server that answers queries. */
export const VIEWS: ReadonlyMap<string, Component<ViewProps> & { preload: () => unknown }> =
  new Map(
    Object.entries(loaders)
      .map(([path, load]) => [path.split('/')[2] ?? path, lazy(load as Loader)] as const)
      .filter(([name]) => name !== SQL_VIEW || !shared()),
  );
