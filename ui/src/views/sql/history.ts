/** The queries that ran in this browser, newest first. */
import { createSignal } from 'solid-js';

import { stored, store } from '../../shell/stored';

const KEY = 'stepscope.sql-history';
const MOST = 100;

export interface PastQuery {
  query: string;
  atEpochMs: number;
}

const [past, setPast] = createSignal<readonly PastQuery[]>(parsePast(stored(KEY)));

/** Reactive. */
export const pastQueries = past;

/** Keeps a query; one that ran before moves to the front. */
export function rememberQuery(query: string, atEpochMs: number): void {
  keep(withQuery(past(), query, atEpochMs));
}

export function forgetQueries(): void {
  keep([]);
}

function keep(next: readonly PastQuery[]): void {
  setPast(next);
  store(KEY, next.length > 0 ? JSON.stringify(next) : null);
}

export function withQuery(
  queries: readonly PastQuery[],
  query: string,
  atEpochMs: number,
): PastQuery[] {
  const rest = queries.filter((other) => other.query !== query);
  return [{ query, atEpochMs }, ...rest].slice(0, MOST);
}

/** What the browser kept; whatever is not a query is left out. */
export function parsePast(text: string | null): PastQuery[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return [];
    return (list as Partial<PastQuery>[]).flatMap((each) =>
      typeof each?.query === 'string' && typeof each.atEpochMs === 'number'
        ? [{ query: each.query, atEpochMs: each.atEpochMs }]
        : [],
    );
  } catch {
    return [];
  }
}
