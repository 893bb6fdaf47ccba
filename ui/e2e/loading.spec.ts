/** How the timeline loads: how much is sent, and how many round trips its first tile needs. */
import type { Page, Route } from '@playwright/test';

import { expect, test } from './server';
import { settled } from './timeline-probe';

const SESSION = 'demo-gpt-cpu';
const LARGEST_SHARE_BYTES = 100_000;

/** Requests that belong together are sent within this time, also on a busy machine. */
const QUIET_MS = 250;

async function timelineUrl(page: Page, url: string): Promise<string> {
  const response = await page.request.get(`${url}api/sessions`);
  const { sessions } = (await response.json()) as { sessions: { key: string; name: string }[] };
  const key = sessions.find(({ name }) => name.includes(SESSION))?.key ?? sessions[0]!.key;
  // The server has opened the session and can answer.
  await page.request.get(`${url}api/sessions/${key}`);
  return `${url}#/s/${key}/timeline`;
}

test('the page of the timeline is compressed and small', async ({ page, url }) => {
  const encodings = new Map<string, string>();
  page.on('response', (response) =>
    encodings.set(response.url(), response.headers()['content-encoding'] ?? ''),
  );
  await page.goto(await timelineUrl(page, url));
  await settled(page);
  const files = await page.evaluate(() => {
    const entries = performance.getEntries().filter((entry) => 'encodedBodySize' in entry);
    const loaded = (entries as PerformanceResourceTiming[]).map((entry) => ({
      url: entry.name.replace(/#.*/, ''),
      bytes: entry.encodedBodySize,
      startMs: entry.startTime,
      endMs: entry.responseEnd,
    }));
    // What the first tiles need not wait for is fetched later: details, menus, and the like.
    const tile = loaded.find((entry) => entry.url.includes('/timeline/tile'));
    return loaded.filter(
      (entry) => !entry.url.includes('/api/') && entry.startMs < (tile?.endMs ?? 0),
    );
  });
  const share = files.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(files.some((file) => /timeline.*\.js$/.test(file.url))).toBe(true);
  expect(files.some((file) => /drawer/.test(file.url))).toBe(false);
  expect(share, JSON.stringify(files)).toBeLessThanOrEqual(LARGEST_SHARE_BYTES);
  for (const file of files) {
    if (file.bytes > 1000) expect(encodings.get(file.url), file.url).toBe('br');
  }
});

test('the first tile is four round trips away', async ({ page, url }) => {
  const address = await timelineUrl(page, url);
  // Every request is held until those that can be made without its answer were made, too.
  let held: Route[] = [];
  await page.route('**', (route) => void held.push(route));
  const allAsked = async () => {
    for (let before = -1; before !== held.length; ) {
      before = held.length;
      await page.waitForTimeout(QUIET_MS);
    }
  };
  const trip = async (...wanted: RegExp[]) => {
    const isAsked = (pattern: RegExp) => held.some((route) => pattern.test(route.request().url()));
    await expect
      .poll(() => wanted.filter((pattern) => !isAsked(pattern)).map(String))
      .toEqual([]);
    await allAsked();
    const released = held;
    held = [];
    await Promise.all(released.map((route) => route.continue()));
  };
  const arrived = page.goto(address, { waitUntil: 'commit' });
  await trip(/:\d+\/$/);
  await arrived;
  await trip(/assets\/index-.*\.js/);
  await trip(
    /assets\/timeline-.*\.js/,
    /analyses\/timeline/,
    /api\/sessions\/[^/]+$/,
  );
  await trip(/timeline\/tile/);
  await page.unroute('**');
  await Promise.all(held.map((route) => route.continue()));
  await settled(page);
});
