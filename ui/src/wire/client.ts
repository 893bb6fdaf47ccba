/**
 * Requests to the server that served this page, by relative URLs only, so that any prefix works.
 * One request per URL at a time, a small cache of answers, and an abort when nobody waits any more.
 */

import type { ErrorReport } from './generated/ErrorReport';
import { send } from './transport';

/** An answer that is an error, in the server's words. */
export class WireError extends Error {
  constructor(
    message: string,
    /** What to do about it; may be empty. */
    readonly hint: string,
    /** HTTP status; 0 when the server was not reached. */
    readonly status: number,
  ) {
    super(message);
    this.name = 'WireError';
  }
}

export type Query = Record<string, string | number | null | undefined>;

interface Pending {
  answer: Promise<unknown>;
  controller: AbortController;
  waiting: number;
}

const CACHE_ENTRIES = 48;
const cache = new Map<string, unknown>();
const pending = new Map<string, Pending>();

/** The relative URL of a route, parameters in a fixed order. */
export function urlOf(path: string, query: Query = {}): string {
  const parts = Object.keys(query)
    .filter((name) => query[name] !== null && query[name] !== undefined && query[name] !== '')
    .sort()
    .map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(String(query[name]))}`);
  return parts.length > 0 ? `${path}?${parts.join('&')}` : path;
}

/** An answer got before, if it is still kept. */
export function cached<T>(url: string): T | undefined {
  return cache.get(url) as T | undefined;
}

/** Drops an answer that is kept, whose session changed. */
export function forget(url: string): void {
  cache.delete(url);
}

/** Gets JSON. `isKept` answers come from the cache when asked for again: reports never change. */
export function getJson<T>(url: string, signal?: AbortSignal, isKept = true): Promise<T> {
  const known = cache.get(url);
  if (known !== undefined) {
    cache.delete(url);
    cache.set(url, known);
    return Promise.resolve(known as T);
  }
  const request = pending.get(url) ?? start(url, isKept);
  request.waiting += 1;
  return waitFor<T>(url, request, signal);
}

function start(url: string, isKept: boolean): Pending {
  const controller = new AbortController();
  const answer = fetchJson(url, controller.signal)
    .then((value) => {
      if (isKept) keep(url, value);
      return value;
    })
    .finally(() => {
      if (pending.get(url)?.controller === controller) pending.delete(url);
    });
  const request = { answer, controller, waiting: 0 };
  pending.set(url, request);
  return request;
}

function waitFor<T>(url: string, request: Pending, signal?: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const leave = () => {
      request.waiting -= 1;
      if (request.waiting === 0) {
        if (pending.get(url) === request) pending.delete(url);
        request.controller.abort();
      }
      reject(new DOMException('no longer needed', 'AbortError'));
    };
    if (signal?.aborted) return leave();
    signal?.addEventListener('abort', leave, { once: true });
    const settle = () => signal?.removeEventListener('abort', leave);
    request.answer.then(
      (value) => {
        settle();
        resolve(value as T);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}

/** Asks for something to be done, with a body of JSON. Answers are not kept. */
export async function postJson<T>(url: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await exchange(url, posting(body, 'application/json', signal))) as T;
}

/** The same for an answer that is saved as it is. */
export async function postForFile(
  url: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<Blob> {
  const response = await reach(url, posting(body, '*/*', signal));
  if (!response.ok) throw errorOf(response, await response.text());
  return response.blob();
}

function posting(body: unknown, accept: string, signal?: AbortSignal): RequestInit {
  const headers = { accept, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return signal ? { ...init, signal } : init;
}

function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  return exchange(url, { signal, headers: { accept: 'application/json' } });
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await send(url, init);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new WireError(
      'The server is not responding',
      'Is `stepscope view` still running? Start it again, then press Retry.',
      0,
    );
  }
}

async function exchange(url: string, init: RequestInit): Promise<unknown> {
  const response = await reach(url, init);
  const text = await response.text();
  if (!response.ok) throw errorOf(response, text);
  try {
    return JSON.parse(text);
  } catch {
    throw new WireError(
      `The answer to ${url} is not JSON`,
      'A proxy in between may have answered instead of Stepscope.',
      response.status,
    );
  }
}

function errorOf(response: Response, text: string): WireError {
  try {
    const body = JSON.parse(text) as Partial<ErrorReport>;
    if (typeof body.error === 'string') {
      return new WireError(
        body.error,
        typeof body.hint === 'string' ? body.hint : '',
        response.status,
      );
    }
  } catch {
    // Not from our server; the status has to do.
  }
  return new WireError(
    `The server answered ${response.status} ${response.statusText}`.trim(),
    '',
    response.status,
  );
}

function keep(url: string, value: unknown): void {
  cache.set(url, value);
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHE_ENTRIES) break;
    cache.delete(oldest);
  }
}

/** The error only says that nobody waits any more. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
