/** From one slice to the next by keys: along arrows, out of and into nested ones; and by fingers. */
import { type Page } from '@playwright/test';

import { expect, test } from './server';
import { canvasOf, openTimeline, settled, windowIn } from './timeline-probe';

interface Found {
  slice: { track: number; lane: number; index: number };
  name: string;
  track_name: string;
}

/** Selects the first slice on such a track that a query finds, by its link. */
async function select(
  page: Page,
  url: string,
  session: string,
  query: string,
  track: RegExp,
): Promise<Found> {
  await openTimeline(page, url, session);
  const key = /#\/s\/([^/]+)/.exec(page.url())![1];
  const search = `${url}api/sessions/${key}/timeline/search?query=${encodeURIComponent(query)}&limit=20`;
  const { slices } = (await (await page.request.get(search)).json()) as { slices: Found[] };
  const found = slices.find(({ track_name }) => track.test(track_name))!;
  const { track: row, lane, index } = found.slice;
  await page.goto(`${page.url().split('?')[0]}?slice=${row}:${lane}:${index}`);
  await page.reload();
  await settled(page);
  await expect(page.locator('.slice-name')).toBeVisible();
  return found;
}

const selected = (page: Page) => /slice=([\d:]+)/.exec(decodeURIComponent(page.url()))?.[1];

test('a kernel leads to its launch, and the launch back to it', async ({ page, url }) => {
  await select(page, url, 'gpt-off/run', 'fusion_472', /Stream/);
  const kernel = selected(page);
  await page.keyboard.press('[');
  await expect.poll(() => selected(page)).not.toBe(kernel);
  const launch = selected(page);
  expect(launch?.split(':')[0], 'on another track').not.toBe(kernel?.split(':')[0]);
  // What it leads to is known once its details are there.
  await expect(async () => {
    await page.keyboard.press(']');
    await expect.poll(() => selected(page), { timeout: 1000 }).toBe(kernel);
  }).toPass();
});

test('arrow keys leave a slice for the one around it and come back', async ({ page, url }) => {
  const { name } = await select(page, url, 'demo', 'data_loading', /python/);
  await expect(page.locator('.slice-name')).toContainText(name);
  await page.keyboard.press('ArrowDown');
  await expect(page.locator('.slice-name')).not.toContainText(name);
  await page.keyboard.press('ArrowUp');
  await expect(page.locator('.slice-name')).toContainText(name);
});

test('one finger pans and two zoom', async ({ page, url }) => {
  await openTimeline(page, url, 'demo');
  const { box } = await canvasOf(page);
  const client = await page.context().newCDPSession(page);
  const [middle, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...xs: number[]) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: xs.map((x, id) => ({ x, y, id })),
    });

  await touch('touchStart', middle - 20, middle + 20);
  for (const spread of [60, 120, 200]) await touch('touchMove', middle - spread, middle + spread);
  await touch('touchEnd');
  await expect.poll(() => windowIn(page)).not.toBeNull();
  await settled(page);
  const zoomed = windowIn(page)!;

  await touch('touchStart', middle);
  for (const by of [30, 80, 150]) await touch('touchMove', middle - by);
  await touch('touchEnd');
  await expect.poll(() => windowIn(page)?.start).toBeGreaterThan(zoomed.start);
  const panned = windowIn(page)!;
  const length = zoomed.end - zoomed.start;
  expect(panned.end - panned.start, 'as long as before').toBeGreaterThan(0.98 * length);
  expect(panned.end - panned.start).toBeLessThan(1.02 * length);
});
