/** How the timeline loads: how much is sent, and how many round trips its first tile needs. */
import type { Page, Route } from '@playwright/test';

import { expect, test } from './server';
import { settled } from './timeline-probe';

const SESSION = 'demo-gpt-cpu';
const LARGEST_SHARE_BYTES = 100_000;

async function timelineUrl(page: Page, url: string): Promise<string> {
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as { sessions: { key: string; name: string }[] };
  const key = sessions.find(({ name }) => name.includes(SESSION))?.key ?? sessions[0]!.key;
  // The server has opened the session and can answer.
  await page.request.get(`${url}api/sessions/${key}`);
  return `${url}#/s/${key}/timeline`;
}

test('the page of the timeline is compressed and small', async ({ page, url }) => {
  const files: { name: string; encoding: string; bytes: Promise<number> }[] = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname.includes('/api/')) return;
    files.push({
      name: pathname,
      encoding: response.headers()['content-encoding'] ?? '',
      bytes: response.request().sizes().then((sizes) => sizes.responseBodySize),
    });
  });
  await page.goto(await timelineUrl(page, url));
  // What nothing on the screen needs yet is fetched later: the details below, for one.
  const shown = await page.waitForFunction(
    () => (window as { __stepscope?: { timeline?: unknown } }).__stepscope?.timeline !== undefined,
  );
  await shown.dispose();
  const loaded = await Promise.all(
    files.map(async ({ name, encoding, bytes }) => ({ name, encoding, bytes: await bytes })),
  );
  const isFirst = ({ name }: { name: string }) => !/drawer|table/.test(name);
  const share = loaded.filter(isFirst).reduce((sum, { bytes }) => sum + bytes, 0);
  expect(loaded.some(({ name }) => /timeline.*\.js$/.test(name))).toBe(true);
  expect(share, JSON.stringify(loaded)).toBeLessThanOrEqual(LARGEST_SHARE_BYTES);
  for (const { name, encoding, bytes } of loaded) {
    if (bytes > 1000) expect(encoding, name).toBe('br');
  }
});

test('the first tile is five round trips away', async ({ page, url }) => {
  const address = await timelineUrl(page, url);
  // Every request is held until those that can be made without its answer were made, too.
  let held: Route[] = [];
  await page.route('**', (route) => void held.push(route));
  const trip = async (...wanted: RegExp[]) => {
    const isAsked = (pattern: RegExp) => held.some((route) => pattern.test(route.request().url()));
    await expect
      .poll(() => wanted.filter((pattern) => !isAsked(pattern)).map(String))
      .toEqual([]);
    const released = held;
    held = [];
    await Promise.all(released.map((route) => route.continue()));
  };
  const arrived = page.goto(address, { waitUntil: 'commit' });
  await trip(/:\d+\/$/);
  await arrived;
  await trip(/assets\/index-.*\.js/);
  await trip(/assets\/timeline-.*\.js/, /analyses\/timeline/, /api\/analyses$/);
  await trip(/api\/sessions\/[^/]+$/);
  await trip(/timeline\/tile/);
  await page.unroute('**');
  await Promise.all(held.map((route) => route.continue()));
  await settled(page);
});
