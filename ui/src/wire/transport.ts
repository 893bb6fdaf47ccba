/**
 * How requests leave the page: to the server that it came from, unless the page is a report of one
 * file, which answers them itself.
 */

/** Answers a request by its relative URL, as `fetch` does. */
export type Transport = (url: string, init: RequestInit) => Promise<Response>;

let transport: Transport = (url, init) => fetch(url, init);

/** Sends a request. */
export function send(url: string, init: RequestInit): Promise<Response> {
  return transport(url, init);
}

/** Answers all requests from now on. */
export function setTransport(own: Transport): void {
  transport = own;
}
