// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { send } from '../wire/transport';
import { installFrame, type FrameRequest } from './frame';

type Listener = (event: { source: unknown; data: unknown }) => void;

const asked: FrameRequest[] = [];
const around = { postMessage: (request: FrameRequest) => void asked.push(request) };
let listener: Listener = () => undefined;

function answer(id: number, status: number, text: string, source: unknown = around): void {
  const body = new TextEncoder().encode(text).buffer;
  const headers = [['content-type', 'text/plain']];
  listener({ source, data: { kind: 'stepscope-answer', id, status, headers, body } });
}

beforeEach(() => {
  asked.length = 0;
  const addEventListener = (_: string, added: Listener) => (listener = added);
  vi.stubGlobal('window', { addEventListener, parent: around });
  installFrame(around as unknown as Window);
});

afterEach(() => vi.unstubAllGlobals());

test('requests go to the window around the page, and its answers come back', async () => {
  const first = send('api/sessions', {});
  const second = send('api/sql', { method: 'POST', body: '{}' });
  expect(asked.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['GET', 'api/sessions', ''],
    ['POST', 'api/sql', '{}'],
  ]);
  answer(asked[1]?.id ?? 0, 404, 'nothing');
  answer(asked[0]?.id ?? 0, 200, 'all');
  expect(await (await first).text()).toBe('all');
  const refused = await second;
  expect([refused.status, await refused.text()]).toEqual([404, 'nothing']);
});

test('answers of other windows are ignored', async () => {
  const request = send('api/sessions', {});
  const id = asked[0]?.id ?? 0;
  answer(id, 200, 'forged', {});
  answer(id, 200, 'ours');
  expect(await (await request).text()).toBe('ours');
});

test('a request that nobody waits for is given up', async () => {
  const controller = new AbortController();
  const request = send('api/sessions', { signal: controller.signal });
  controller.abort();
  await expect(request).rejects.toThrow('no longer needed');
  answer(asked[0]?.id ?? 0, 200, 'late');
  await expect(send('x', { signal: AbortSignal.abort() })).rejects.toThrow('no longer needed');
  expect(asked).toHaveLength(1);
});

test('answers without a body', async () => {
  const request = send('api/sessions', {});
  answer(asked[0]?.id ?? 0, 304, '');
  expect((await request).status).toBe(304);
});
