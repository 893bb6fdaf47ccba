/**
 * Every folder `views/<analysis name>/` contains the view of that analysis; its `index.tsx` exports the
 * component as default. Views load when first shown.
 */
import { lazy, type Component } from 'solid-js';

/** The props of every view of a session. */
export interface ViewProps {
  session: string;
}

/** The only view that does not belong to a session. */
export { SESSIONS_VIEW } from './hash';

type Loader = () => Promise<{ default: Component<ViewProps> }>;

const loaders = import.meta.glob<{ default: Component<ViewProps> }>('../views/*/index.tsx');

/** Views by analysis name. */
export const VIEWS: ReadonlyMap<string, Component<ViewProps> & { preload: () => unknown }> =
  new Map(
    Object.entries(loaders).map(([path, load]) => [
      path.split('/')[2] ?? path,
      lazy(load as Loader),
    ]),
  );
