/**
 * A search over the whole session: its answer, a list of matches in time order that grows as the
 * user moves through it, and the current match.
 */
import { createSignal, type Accessor } from 'solid-js';

import { patternError } from '../format/pattern';
import type { SearchName } from '../wire/generated/SearchName';
import type { SearchReport } from '../wire/generated/SearchReport';
import type { SearchSlice } from '../wire/generated/SearchSlice';
import type { SliceRefReport } from '../wire/generated/SliceRefReport';
import { errorText, SEARCH_LIMIT, type TimelineApi } from './api';

/** The state of a search. */
export interface SearchState {
  query: string;
  /** False until the server has answered this query. */
  isReady: boolean;
  matchCount: number;
  names: readonly SearchName[];
  /** Consecutive matches in time order. */
  slices: readonly SearchSlice[];
  /** Whether `slices` begins with the first match of the session. */
  isFromStart: boolean;
  /** Whether more matches follow the last of `slices`. */
  hasMore: boolean;
  /** Position in `slices`; -1 before the first jump. */
  current: number;
  error: string;
  /** How the query was read, if not as it was typed. */
  remark: string;
}

const EMPTY: SearchState = {
  query: '',
  isReady: true,
  matchCount: 0,
  names: [],
  slices: [],
  isFromStart: true,
  hasMore: false,
  current: -1,
  error: '',
  remark: '',
};

/** Whether two references are to the same slice. */
export function sameSlice(one: SliceRefReport, other: SliceRefReport): boolean {
  return one.track === other.track && one.lane === other.lane && one.index === other.index;
}

/** The current search. */
export class TimelineSearch {
  readonly state: Accessor<SearchState>;
  private readonly setState: (state: SearchState) => void;
  private controller = new AbortController();

  constructor(
    private readonly api: TimelineApi,
    private readonly onAnswer: (state: SearchState) => void,
  ) {
    const [state, setState] = createSignal<SearchState>(EMPTY);
    this.state = state;
    this.setState = (next) => setState(() => next);
  }

  /** Starts a search; an empty query ends it. */
  async start(query: string): Promise<void> {
    if (query === this.state().query) return;
    this.controller.abort();
    if (!query) {
      this.setState(EMPTY);
      return;
    }
    // The last answer stays on the screen until the new one arrives.
    this.setState({ ...this.state(), query, isReady: false, current: -1, error: '', remark: '' });
    await this.load(query, 0);
  }

  /** The match after the current one, or the first at or after a time; wraps around. */
  async next(fromPs: number): Promise<SearchSlice | null> {
    const state = await this.ready();
    if (!state || state.slices.length === 0) return null;
    let index = state.current + 1;
    if (state.current < 0) index = await this.indexAfter(fromPs);
    if (index >= this.state().slices.length) index = await this.extend();
    return this.choose(index);
  }

  /** The match before the current one; wraps around to the last if all later matches are listed. */
  async previous(fromPs: number): Promise<SearchSlice | null> {
    const state = await this.ready();
    if (!state || state.slices.length === 0) return null;
    const from = state.current < 0 ? await this.indexAfter(fromPs) : state.current;
    const last = state.hasMore ? 0 : state.slices.length - 1;
    return this.choose(from > 0 ? from - 1 : last);
  }

  choose(index: number): SearchSlice | null {
    const state = this.state();
    const slice = state.slices[index];
    if (!slice) return null;
    this.setState({ ...state, current: index });
    return slice;
  }

  dispose(): void {
    this.controller.abort();
  }

  private async ready(): Promise<SearchState | null> {
    const { query, isReady } = this.state();
    if (!query) return null;
    if (!isReady) await this.load(query, 0);
    return this.state();
  }

  /**
   * Position of the first match that starts at or after a time, fetching matches from there if needed.
   */
  private async indexAfter(fromPs: number): Promise<number> {
    const find = () => this.state().slices.findIndex((slice) => slice.start_ps >= fromPs);
    const index = find();
    if (index >= 0) return index;
    const { query, hasMore } = this.state();
    if (!hasMore) return 0;
    await this.load(query, fromPs);
    return Math.max(0, find());
  }

  /** Fetches the matches after the list and returns the next position; wraps around at the end. */
  private async extend(): Promise<number> {
    const before = this.state();
    const last = before.slices.at(-1);
    if (!before.hasMore || !last) {
      if (before.matchCount > before.slices.length) await this.load(before.query, 0);
      return 0;
    }
    const report = await this.fetch(before.query, last.start_ps);
    if (!report) return before.current;
    const fresh = report.slices.filter(
      (slice) => !before.slices.some((known) => sameSlice(known.slice, slice.slice)),
    );
    if (fresh.length === 0) {
      await this.load(before.query, last.start_ps + 1);
      return 0;
    }
    this.setState({
      ...before,
      slices: [...before.slices, ...fresh],
      hasMore: report.slices.length >= SEARCH_LIMIT,
    });
    return before.slices.length;
  }

  private async load(query: string, fromPs: number): Promise<void> {
    const report = await this.fetch(query, fromPs);
    if (!report || this.state().query !== query) return;
    this.setState({
      query,
      isReady: true,
      matchCount: report.match_count,
      names: report.names,
      slices: report.slices,
      isFromStart: fromPs <= 0,
      hasMore: report.slices.length >= SEARCH_LIMIT,
      current: -1,
      error: '',
      remark: report.remark ?? '',
    });
    this.onAnswer(this.state());
  }

  private async fetch(query: string, fromPs: number): Promise<SearchReport | null> {
    this.controller.abort();
    const { signal } = (this.controller = new AbortController());
    const ask = (asked: string) => this.api.search(asked, fromPs, signal);
    const asText = async (error: unknown) => {
      if (signal.aborted) throw error;
      return (await import('./plain-search')).searchedAsText(query, error, ask);
    };
    try {
      // What this browser rejects, the server does, too.
      return await (patternError(query) ? asText(null) : ask(query).catch(asText));
    } catch (error) {
      const text = errorText(error);
      if (text !== null && this.state().query === query) {
        this.setState({ ...EMPTY, query, error: text });
      }
      return null;
    }
  }
}
