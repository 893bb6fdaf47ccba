/**
 * The page in a frame of a notebook's cell: the window around it answers its requests, by asking the
 * kernel. It marks the page with the place to open, as the URL's hash would be.
 */
import { setTransport } from '../wire/transport';

/** What the window around the page sends. */
export interface FrameAnswer {
  kind: 'stepscope-answer';
  id: number;
  status: number;
  headers: [string, string][];
  body: ArrayBuffer;
}

/** What the page sends to the window around it. */
export interface FrameRequest {
  kind: 'stepscope-request';
  id: number;
  method: string;
  url: string;
  body: string;
}

interface Waiting {
  resolve: (response: Response) => void;
  stop: () => void;
}

/** Statuses of answers without a body. */
const BODILESS = [204, 205, 304];

/** The place that the window around the page wants; null if there is no such window. */
export function framedPlace(): string | null {
  return document.documentElement.dataset['cell'] ?? null;
}

/** Sends all requests to the window around the page. */
export function installFrame(around: Window = window.parent): void {
  const waiting = new Map<number, Waiting>();
  let count = 0;
  window.addEventListener('message', (event: MessageEvent<Partial<FrameAnswer>>) => {
    if (event.source !== around || event.data.kind !== 'stepscope-answer') return;
    const { id, status, headers, body } = event.data as FrameAnswer;
    const request = waiting.get(id);
    waiting.delete(id);
    request?.stop();
    request?.resolve(new Response(BODILESS.includes(status) ? null : body, { status, headers }));
  });
  setTransport(
    (url, init) =>
      new Promise((resolve, reject) => {
        const { signal } = init;
        const id = (count += 1);
        const leave = () => {
          waiting.delete(id);
          reject(new DOMException('no longer needed', 'AbortError'));
        };
        if (signal?.aborted) return leave();
        signal?.addEventListener('abort', leave, { once: true });
        waiting.set(id, { resolve, stop: () => signal?.removeEventListener('abort', leave) });
        const method = init.method ?? 'GET';
        const body = typeof init.body === 'string' ? init.body : '';
        const request: FrameRequest = { kind: 'stepscope-request', id, method, url, body };
        // It contains nothing secret, and the origin of a notebook's window is not known here.
        around.postMessage(request, '*');
      }),
  );
}
