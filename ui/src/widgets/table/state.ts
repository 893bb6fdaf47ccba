/** Where a table keeps its order and its search: in the URL, or only while it is shown. */
import { createSignal } from 'solid-js';

import { getParam, setParams } from '../../shell/state';
import { formatSort, parseSort, type Sort } from './rows';

export interface TableState {
  sort: () => Sort | null;
  setSort: (sort: Sort) => void;
  query: () => string;
  setQuery: (query: string) => void;
}

/** For the main table of a view: `sort` and `q` of the URL. */
export function urlTableState(fallback: string): TableState {
  return {
    sort: () => parseSort(getParam('sort') ?? fallback),
    setSort: (sort) => {
      const text = formatSort(sort);
      setParams({ sort: text === fallback ? null : text }, false);
    },
    query: () => getParam('q') ?? '',
    setQuery: (query) => setParams({ q: query }, true),
  };
}

/** For small tables next to others. */
export function localTableState(initial: string | null): TableState {
  const [sort, setSort] = createSignal<Sort | null>(parseSort(initial ?? undefined));
  const [query, setQuery] = createSignal('');
  return { sort, setSort, query, setQuery };
}
