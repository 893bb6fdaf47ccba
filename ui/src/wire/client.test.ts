import { beforeEach, expect, test, vi } from 'vitest';

import { cached, getJson, isAbort, urlOf, WireError } from './client';

interface Call {
  url: string;
  signal: AbortSignal;
  answer: (status: number, body: string) => void;
}
let calls: Call[] = [];

beforeEach(() => {
  calls = [];
  vi.stubGlobal(
    'fetch',
    (url: string, init: { signal: AbortSignal }) =>
      new Promise<Response>((resolve, reject) => {
        init.signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
        calls.push({
          url,
          signal: init.signal,
          answer: (status, body) => resolve(new Response(body, { status })),
        });
      }),
  );
});

test('URLs are relative and in a fixed order', () => {
  expect(
    urlOf('api/sessions/1/analyses/ops', { steps: '3..8', device: '', match: 'a b', by: null }),
  ).toBe('api/sessions/1/analyses/ops?match=a%20b&steps=3..8');
});

test('one request per URL at a time, then the cache', async () => {
  const both = [getJson('api/a'), getJson('api/a')];
  expect(calls).toHaveLength(1);
  calls[0]?.answer(200, '{"x": 1}');
  expect(await Promise.all(both)).toEqual([{ x: 1 }, { x: 1 }]);
  expect(await getJson('api/a')).toEqual({ x: 1 });
  expect(calls).toHaveLength(1);
  expect(cached('api/a')).toEqual({ x: 1 });
});

test('a request is aborted when the last who waits leaves', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const first = getJson('api/b', one.signal).catch((error: unknown) => isAbort(error));
  const second = getJson('api/b', other.signal).catch((error: unknown) => isAbort(error));
  one.abort();
  expect(await first).toBe(true);
  expect(calls[0]?.signal.aborted).toBe(false);
  other.abort();
  expect(await second).toBe(true);
  expect(calls[0]?.signal.aborted).toBe(true);
  // It was not kept, and can be asked again.
  const again = getJson('api/b');
  calls[1]?.answer(200, '2');
  expect(await again).toBe(2);
});

test('errors carry the words of the server', async () => {
  const failing = getJson('api/c');
  calls[0]?.answer(400, '{"error": "--steps 9 matches nothing", "hint": "there are: 1, 2"}');
  await expect(failing).rejects.toMatchObject({
    message: '--steps 9 matches nothing',
    hint: 'there are: 1, 2',
    status: 400,
  });
  const strange = getJson('api/d');
  calls[1]?.answer(502, '<html>');
  await expect(strange).rejects.toBeInstanceOf(WireError);
  expect(cached('api/c')).toBeUndefined();
});
