/**
 * How requests leave the page: to the server that it came from, unless the page is a report of one
 * file, which answers them itself.
 */

/** Answers a request by its relative URL, as `fetch` does. */
export type Transport = (url: string, init: RequestInit) => Promise<Response>;

declare global {
  interface Window {
    /** What was requested in the head of the page (`shell/head-start.js`), by relative URL. */
    stepscopeAsked?: Record<string, Promise<Response>>;
  }
}

let transport: Transport = (url, init) => takeAsked(url) ?? fetch(url, init);

/** The answer to a request that was made before this code had been loaded; each is handed out once. */
function takeAsked(url: string): Promise<Response> | undefined {
  const asked = typeof window === 'undefined' ? undefined : window.stepscopeAsked;
  const answer = asked?.[url];
  if (asked) delete asked[url];
  return answer;
}

/** Sends a request. */
export function send(url: string, init: RequestInit): Promise<Response> {
  return transport(url, init);
}

/** Answers all requests from now on. */
export function setTransport(own: Transport): void {
  transport = own;
}
