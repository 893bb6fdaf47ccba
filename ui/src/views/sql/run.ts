/** A query that runs: its rows, its error, how long it takes; it can be canceled. */
import { createSignal, onCleanup, type Accessor } from 'solid-js';

import { isAbort, postForFile, postJson, WireError } from '../../wire/client';
import type { SqlReport } from '../../wire/generated/SqlReport';

/** Rows that the page holds at most; downloads have all. */
export const MOST_ROWS = 10_000;

const TICK_MS = 100;
/** Answers that are kept for Back. */
const KEPT = 6;

/** What a query is asked of: sessions by their keys; null for all. */
export type Scope = readonly string[] | null;

export interface Outcome {
  query: string;
  report?: SqlReport;
  error?: WireError;
  tookMs: number;
}

export interface Runner {
  /** The last answer; undefined before the first and while another query runs. */
  outcome: Accessor<Outcome | undefined>;
  isRunning: Accessor<boolean>;
  elapsedMs: Accessor<number>;
  /** Runs a query; an answer that was just given is shown again unless `isNew`. */
  run: (query: string, isNew: boolean) => void;
  /** Cancels the query, also on the server. False if none runs. */
  cancel: () => boolean;
  /** Shows nothing. */
  clear: () => void;
}

const kept = new Map<string, Outcome>();

export function createRunner(scope: Scope): Runner {
  const [outcome, setOutcome] = createSignal<Outcome>();
  const [isRunning, setRunning] = createSignal(false);
  const [elapsedMs, setElapsed] = createSignal(0);
  let controller: AbortController | undefined;

  const stop = () => {
    controller?.abort();
    controller = undefined;
    setRunning(false);
  };
  const run = (query: string, isNew: boolean) => {
    stop();
    const key = JSON.stringify([scope, query]);
    const known = kept.get(key);
    if (known && !isNew) {
      setOutcome(known);
      return;
    }
    const own = new AbortController();
    controller = own;
    const started = performance.now();
    const took = () => performance.now() - started;
    setOutcome(undefined);
    setElapsed(0);
    setRunning(true);
    const timer = setInterval(() => setElapsed(took()), TICK_MS);
    own.signal.addEventListener('abort', () => clearInterval(timer));
    const finish = (found: Pick<Outcome, 'report' | 'error'>) => {
      clearInterval(timer);
      if (controller !== own) return;
      controller = undefined;
      setRunning(false);
      const done = { query, tookMs: took(), ...found };
      if (found.report) keep(key, done);
      setOutcome(done);
    };
    postJson<SqlReport>('api/sql', bodyOf(scope, query, { limit: MOST_ROWS }), own.signal).then(
      (report) => finish({ report }),
      (error: unknown) => isAbort(error) || finish({ error: errorOf(error) }),
    );
  };
  onCleanup(stop);
  return {
    outcome,
    isRunning,
    elapsedMs,
    run,
    cancel: () => {
      const wasRunning = isRunning();
      stop();
      return wasRunning;
    },
    clear: () => {
      stop();
      setOutcome(undefined);
    },
  };
}

/** All rows of a query as a file. */
export function fileOf(
  scope: Scope,
  query: string,
  format: 'csv' | 'arrow',
  signal: AbortSignal,
): Promise<Blob> {
  return postForFile('api/sql', bodyOf(scope, query, { format, limit: 0 }), signal);
}

function bodyOf(scope: Scope, query: string, more: object): object {
  return { query, ...(scope === null ? {} : { sessions: scope }), ...more };
}

function keep(key: string, outcome: Outcome): void {
  kept.delete(key);
  kept.set(key, outcome);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
}

const errorOf = (error: unknown): WireError =>
  error instanceof WireError ? error : new WireError(String(error), '', 0);
