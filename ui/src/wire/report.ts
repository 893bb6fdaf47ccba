/** Answers as signals: the last answer stays while the next one loads, and switching back is instant. */
import { createComputed, createSignal, on, onCleanup, type Accessor } from 'solid-js';

import { baseline } from '../shell/state';
import { cached, getJson, isAbort, urlOf, WireError, type Query } from './client';
import type { Comparisons, Reports } from './types';

/** An answer that comes and may be replaced. */
export interface Answer<T> {
  /** The last answer; stays while the next one loads. */
  data: Accessor<T | undefined>;
  error: Accessor<WireError | undefined>;
  isLoading: Accessor<boolean>;
  /** Asks again after an error. */
  retry: () => void;
}

/** Follows a URL: asks whenever it changes, aborts what is no longer wanted. `null` asks nothing. */
export function createAnswer<T>(url: Accessor<string | null>, isKept = true): Answer<T> {
  const [data, setData] = createSignal<T | undefined>(undefined, { equals: false });
  const [error, setError] = createSignal<WireError>();
  const [isLoading, setLoading] = createSignal(false);
  const [attempt, setAttempt] = createSignal(0);

  createComputed(
    on([url, attempt], ([wanted]) => {
      setError(undefined);
      setLoading(false);
      if (wanted === null) return;
      const known = isKept ? cached<T>(wanted) : undefined;
      if (known !== undefined) {
        setData(() => known);
        return;
      }
      const controller = new AbortController();
      onCleanup(() => controller.abort());
      setLoading(true);
      getJson<T>(wanted, controller.signal, isKept)
        .then((value) => {
          setData(() => value);
          setLoading(false);
        })
        .catch((reason: unknown) => {
          if (isAbort(reason)) return;
          setLoading(false);
          setError(reason instanceof WireError ? reason : new WireError(String(reason), '', 0));
        });
    }),
  );
  return { data, error, isLoading, retry: () => setAttempt((count) => count + 1) };
}

/** The URL of a report. */
export function reportUrl(session: string, analysis: keyof Reports, options: Query): string {
  return urlOf(`api/sessions/${session}/analyses/${analysis}`, options);
}

/** The URL of a comparison; the first session is the baseline. */
export function comparisonUrl(sessions: readonly string[], options: Query): string {
  const rest = urlOf('', options).replace('?', '&');
  const named = sessions.map((session) => `session=${session}`).join('&');
  return `api/comparisons/${'compare' satisfies keyof Comparisons}?${named}${rest}`;
}

/** What an analysis is asked, with options as on the command line. */
export interface Question {
  analysis: keyof Reports;
  options: Query;
}

/** A report and, where somebody reads it, the same of the baseline. */
export interface ReportAnswer<T> extends Answer<T> {
  question: Accessor<Question>;
  /** The baseline's report; undefined without a baseline and until it has come. */
  baseline: Answer<T>;
}

/** Follows the report of an analysis with options as on the command line, while `isAsked`. */
export function createReport<Name extends keyof Reports>(
  analysis: Name,
  session: Accessor<string>,
  options: Accessor<Query>,
  isAsked: Accessor<boolean> = () => true,
): ReportAnswer<Reports[Name]> {
  const answer = createAnswer<Reports[Name]>(() =>
    isAsked() ? reportUrl(session(), analysis, options()) : null,
  );
  const [isWanted, setWanted] = createSignal(false);
  const other = createAnswer<Reports[Name]>(() => {
    const against = baseline();
    return against === null || !isWanted() ? null : reportUrl(against, analysis, options());
  });
  // An answer belongs to the baseline that was chosen when it came.
  const [owner, setOwner] = createSignal<string | null>(null);
  createComputed(on(other.data, (data) => setOwner(data === undefined ? null : baseline())));
  const data = () => {
    if (!isWanted()) queueMicrotask(() => setWanted(true));
    return owner() !== null && owner() === baseline() ? other.data() : undefined;
  };
  const question = () => ({ analysis, options: options() });
  return { ...answer, question, baseline: { ...other, data } };
}
