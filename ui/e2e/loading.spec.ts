/** How the timeline loads: how much is sent, and how many round trips its first tile needs. */
import type { Page, Route } from '@playwright/test';

import { expect, test } from './server';
import { settled } from './timeline-probe';

const SESSION = 'demo-gpt-cpu';
const LARGEST_SHARE_BYTES = 100_000;
/** The page, what it shares with its views, the timeline, and the bundler's helper. */
const MOST_SCRIPTS = 4;

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
  // Further files would have to wait for a connection, and the first tile for them.
  const scripts = files.filter((file) => file.url.endsWith('.js'));
  expect(scripts.length, JSON.stringify(scripts)).toBeLessThanOrEqual(MOST_SCRIPTS);
  for (const file of files) {
    if (file.bytes > 1000) expect(encodings.get(file.url), file.url).toBe('br');
  }
});

test('the first tile is three round trips away', async ({ page, url }) => {
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
  // The page itself asks for what the timeline needs, before it has any code.
  await trip(
    /assets\/index-.*\.js/,
    /assets\/timeline-.*\.js/,
    /assets\/timeline-.*\.css/,
    /analyses\/timeline/,
    /api\/sessions\/[^/]+$/,
  );
  await trip(/timeline\/tile/);
  await page.unroute('**');
  await Promise.all(held.map((route) => route.continue()));
  await settled(page);
});

test('what the page asks for in its head is asked for once', async ({ page, url }) => {
  const address = await timelineUrl(page, url);
  for (const query of ['', '?device=0', '?window=0..1000000']) {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto('about:blank');
    await page.goto(address + query);
    await settled(page);
    page.removeAllListeners('request');
    const count = (pattern: RegExp) => asked.filter((one) => pattern.test(one)).length;
    expect(count(/analyses\/timeline/), `reports with ${query}`).toBe(1);
    expect(count(/api\/sessions\/[^/]+$/), `sessions with ${query}`).toBe(1);
    expect(count(/assets\/timeline-.*\.js/), `code with ${query}`).toBe(1);
    expect(count(/analyses\/timeline\?device=0$/)).toBe(query.includes('device') ? 1 : 0);
    // The rules of the view still come after those of the page.
    const sheets = await page.evaluate(() =>
      [...document.styleSheets].map((sheet) => sheet.href ?? '').filter((href) => href !== ''),
    );
    const placeOf = (name: RegExp) => sheets.findIndex((href) => name.test(href));
    expect(placeOf(/timeline-.*\.css/)).toBeGreaterThan(placeOf(/index-.*\.css/));
  }
});

test('the height of rows and the width of the page are known before it is there', async ({ page, url }) => {
  // Tiles that were requested too early for the wrong window would be canceled, and others requested.
  const tiles: string[] = [];
  page.on('request', (request) => request.url().includes('/timeline/tile') && tiles.push(request.url()));
  const canceled: string[] = [];
  page.on('requestfailed', (request) => canceled.push(request.url()));
  await page.goto(await timelineUrl(page, url));
  await settled(page);
  expect(tiles.length).toBeGreaterThan(0);
  expect(canceled.filter((one) => one.includes('/timeline/tile'))).toEqual([]);
});
